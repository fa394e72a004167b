/// A row's place in its app's stream (rule Z1), as it is kept: behind the row's memo. It is a field of the protocol
/// buffers' encoding like any other, of fixed length, so that it is found from the end.
enum RowPlace {
    /// Field 2047, 8 bytes.
    private static let tag: [UInt8] = [0xF9, 0x7F]
    private static let length = 10

    static func append(_ place: Version, to memo: inout [UInt8]) {
        memo += tag
        withUnsafeBytes(of: place.rawValue.littleEndian) { memo.append(contentsOf: $0) }
    }

    /// Removes the place from a memo's end, and returns it. Nil: there is none. Only for rows that apps see: what other
    /// rows remember may end with the same bytes.
    static func remove(from memo: inout [UInt8]) -> Version? {
        guard memo.count >= length, memo.suffix(length).starts(with: tag) else { return nil }
        let bits = memo.suffix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        memo.removeLast(length)
        return Version(Int64(bitPattern: bits))
    }
}
