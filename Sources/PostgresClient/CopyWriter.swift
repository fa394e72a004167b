/// Writes the rows of a `COPY … FROM STDIN`, gathered to messages of 64 KiB.
public struct CopyWriter {
    private let connection: PostgresConnection
    let isBinary: Bool
    let buffer = BinaryBufferBox()

    private static let messageSize = 64 << 10

    init(_ connection: PostgresConnection, isBinary: Bool) {
        self.connection = connection
        self.isBinary = isBinary
        guard isBinary else { return }
        // Signature, flags, length of the header's extension (PostgreSQL manual, COPY, "Binary Format").
        for byte in CopyFraming.signature + [UInt8](repeating: 0, count: 8) { buffer.bytes.append(byte) }
    }

    /// Writes one row in binary format. The values must have exactly the columns' types; `text` also suits enums.
    /// - Throws: `.usage` when the COPY is in text format.
    public mutating func row(_ values: [PostgresValue]) throws(PostgresError) {
        guard isBinary, let fields = Int16(exactly: values.count) else {
            throw PostgresError(kind: .usage, message: "rows of values need FORMAT binary")
        }
        buffer.bytes.append(fields)
        for value in values {
            let position = buffer.bytes.count
            buffer.bytes.append(Int32(-1))
            guard !value.isNull else { continue }
            buffer.bytes.append(value)
            buffer.bytes.replace(at: position, with: Int32(clamping: buffer.bytes.count - position - 4))
        }
        try sendIfFull()
    }

    /// Writes bytes in the format of the COPY: in text format whole or part lines; in binary whole tuples, as `copyOut`
    /// lends them.
    public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(PostgresError) {
        buffer.bytes.append(bytes)
        try sendIfFull()
    }

    public mutating func write(_ text: String) throws(PostgresError) {
        buffer.bytes.append(text)
        try sendIfFull()
    }

    mutating func finish() throws(PostgresError) {
        if isBinary { buffer.bytes.append(Int16(-1)) }
        try send()
    }

    mutating func sendIfFull() throws(PostgresError) {
        if buffer.bytes.count >= Self.messageSize { try send() }
    }

    private mutating func send() throws(PostgresError) {
        try connection.putCopyData(buffer.bytes.bytes)
        buffer.bytes.removeAll()
    }
}

/// Lets a copyable writer own a buffer that is not.
final class BinaryBufferBox {
    var bytes = BinaryBuffer()
}
