/// Text that is equal only when its UTF-8 bytes are, and ordered by them. Swift compares strings by canonical
/// equivalence (a precomposed é equals e and an accent), PostgreSQL and SQLite by bytes: an id that is one in the
/// fold and two in a table would corrupt the row.
///
/// An id is looked up a dozen times on its way from an event to the read model; its bytes are hashed once, here.
public struct ByteText: Hashable, Sendable, Comparable, ExpressibleByStringInterpolation {
    public let text: String
    /// The hash of the bytes; it has no meaning outside the process.
    let textHash: Int

    static let empty = ByteText("")

    public init(_ text: String) {
        self.text = text
        textHash = Self.hash(text)
    }

    public init(stringLiteral text: String) { self.init(text) }

    public static func == (a: Self, b: Self) -> Bool { a.textHash == b.textHash && Self.equal(a.text, b.text) }
    public static func < (a: Self, b: Self) -> Bool { Self.precedes(a.text, b.text) }
    public func hash(into hasher: inout Hasher) { hasher.combine(textHash) }
    public func _rawHashValue(seed: Int) -> Int { Self.tableHash(textHash, seed) }

    /// What tables place a key by whose bytes are hashed already, with a key of the process. A `Hasher` would hash that
    /// hash again, which costs more than to look the key up. The table's seed is mixed in (Fibonacci hashing), so that
    /// keys which come in the order of one table do not gather in another.
    static func tableHash(_ textHash: Int, _ seed: Int) -> Int {
        let mixed = UInt(bitPattern: textHash ^ seed) &* 0x9E37_79B9_7F4A_7C15
        return Int(bitPattern: mixed ^ mixed >> 32)
    }

    static func hash(_ text: String) -> Int {
        var hasher = Hasher()
        hash(text, into: &hasher)
        return hasher.finalize()
    }

    static func equal(_ a: String, _ b: String) -> Bool {
        guard a.utf8.count == b.utf8.count else { return false }
        return compare(a, b) == 0
    }

    static func precedes(_ a: String, _ b: String) -> Bool { compare(a, b) < 0 }

    static func hash(_ text: String, into hasher: inout Hasher) {
        // The 0xFF, which is in no UTF-8, keeps ("a", "bc") apart from ("ab", "c").
        if text.utf8.withContiguousStorageIfAvailable({ hasher.combine(bytes: UnsafeRawBufferPointer($0)) }) == nil {
            for byte in text.utf8 { hasher.combine(byte) }
        }
        hasher.combine(0xFF as UInt8)
    }

    /// Below, at or above zero, as `a` stands to `b` byte by byte.
    static func compare(_ a: String, _ b: String) -> Int {
        let fast = a.utf8.withContiguousStorageIfAvailable { x in
            b.utf8.withContiguousStorageIfAvailable { y in compare(x, y) }
        }
        if case .some(.some(let order)) = fast { return order }
        if a.utf8.elementsEqual(b.utf8) { return 0 }
        return a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : 1
    }

    private static func compare(_ x: UnsafeBufferPointer<UInt8>, _ y: UnsafeBufferPointer<UInt8>) -> Int {
        for index in 0..<min(x.count, y.count) where x[index] != y[index] { return x[index] < y[index] ? -1 : 1 }
        return x.count - y.count
    }
}
