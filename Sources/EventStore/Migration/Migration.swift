/// One numbered step of the schema. Once released its file never changes; a later step mends it.
public struct Migration: Sendable, Hashable, CustomStringConvertible {
    /// 1, 2, 3 … without gaps.
    public let number: Int
    public let name: String
    public let sql: String
    /// SHA-256 of the file, hexadecimal.
    public let checksum: String

    public init(number: Int, name: String, sql: String, checksum: String) {
        self.number = number
        self.name = name
        self.sql = sql
        self.checksum = checksum
    }

    /// As its file is called: `0001_log`.
    public var description: String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "_" + name
    }
}
