/// Text that is equal only when its UTF-8 bytes are, and ordered by them. Swift compares strings by canonical
/// equivalence (a precomposed é equals e and an accent), PostgreSQL and SQLite by bytes: an id that is one in the
/// fold and two in a table would corrupt the row.
struct ByteText: Hashable, Sendable, Comparable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (a: Self, b: Self) -> Bool { Self.equal(a.text, b.text) }
    static func < (a: Self, b: Self) -> Bool { Self.precedes(a.text, b.text) }
    func hash(into hasher: inout Hasher) { Self.hash(text, into: &hasher) }

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
