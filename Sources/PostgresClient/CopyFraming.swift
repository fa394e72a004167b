/// Strips the header and trailer from a binary COPY stream (PostgreSQL manual, COPY, "Binary Format").
struct CopyFraming {
    let isBinary: Bool
    private var isStarted = false
    static let signature: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]

    init(isBinary: Bool) { self.isBinary = isBinary }

    /// The row in a message; nil when the message holds only framing.
    mutating func row(in message: UnsafeRawBufferPointer) throws(PostgresError) -> UnsafeRawBufferPointer? {
        guard isBinary else { return message }
        var reader = BinaryReader(message)
        if !isStarted {
            guard try reader.next(count: Self.signature.count).elementsEqual(Self.signature) else {
                throw .decoding("not a binary COPY stream")
            }
            _ = try reader.next(Int32.self)
            _ = try reader.next(count: Int(try reader.next(Int32.self)))
            isStarted = true
        }
        let rest = try reader.next(count: reader.remaining)
        if rest.isEmpty { return nil }
        var fields = BinaryReader(rest)
        return try fields.next(Int16.self) == -1 ? nil : rest
    }
}
