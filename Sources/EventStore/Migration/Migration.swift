/// One numbered step of the schema. Once released its file never changes; a later step mends it.
public struct Migration: Sendable, Hashable, CustomStringConvertible {
    /// What a migration's file says, by how it is applied.
    public enum Script: Sendable, Hashable {
        /// A script of any number of statements, all of them in one transaction.
        case transaction(String)
        /// Statements that run one after the other, none of them in a transaction. They are repeated from the first on
        /// when they were cut off.
        case statements([String])
    }

    /// 1, 2, 3 … without gaps.
    public let number: Int
    public let name: String
    public let script: Script
    /// SHA-256 of the file, hexadecimal.
    public let checksum: String

    /// A migration that is applied in one transaction.
    public init(number: Int, name: String, sql: String, checksum: String) {
        self.init(number: number, name: name, .transaction(sql), checksum: checksum)
    }

    /// A migration whose statements are applied one by one, outside of a transaction.
    public init(number: Int, name: String, statements: [String], checksum: String) {
        self.init(number: number, name: name, .statements(statements), checksum: checksum)
    }

    private init(number: Int, name: String, _ script: Script, checksum: String) {
        self.number = number
        self.name = name
        self.script = script
        self.checksum = checksum
    }

    /// As its file is called: `0001_log`.
    public var description: String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "_" + name
    }
}
