/// An app's bundle identifier: 1–155 characters of `[A-Za-z0-9.-]` (domain.md §0).
public struct AppID: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let rawValue: String
    /// The hash of the name's bytes, made once: an app is part of nearly every key that is looked up.
    let textHash: Int

    public static let maximumLength = 155

    /// Nil when `rawValue` is not a bundle identifier.
    public init?(_ rawValue: String) {
        guard (1...Self.maximumLength).contains(rawValue.utf8.count), rawValue.utf8.allSatisfy(Self.isAllowed) else {
            return nil
        }
        self.rawValue = rawValue
        textHash = ByteText.hash(rawValue)
    }

    /// Nil when `rawValue` is not a bundle identifier.
    /// - Parameter previous: an app that is most likely the same: it need not be checked and hashed again.
    public init?(_ rawValue: String, previous: AppID?) {
        // By bytes: to Swift, a Kelvin sign and a K are equal.
        if let previous, ByteText.equal(rawValue, previous.rawValue) {
            self = previous
        } else {
            self.init(rawValue)
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    public var description: String { rawValue }
    public static func == (a: Self, b: Self) -> Bool { a.textHash == b.textHash && a.rawValue == b.rawValue }
    public func hash(into hasher: inout Hasher) { hasher.combine(textHash) }
    public func _rawHashValue(seed: Int) -> Int { ByteText.tableHash(textHash, seed) }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
