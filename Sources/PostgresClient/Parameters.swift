import CLibPQ

/// The parameters of one query as libpq wants them: types, pointers, lengths, formats, over one block of bytes.
struct Parameters: ~Copyable {
    private var buffer = BinaryBuffer()
    private var offsets: [Int] = []
    private var pointers: [UnsafePointer<CChar>?] = []
    private var formats: [Int32] = []
    private(set) var types: [Oid] = []
    private(set) var lengths: [Int32] = []

    /// The wire protocol counts parameters in 16 bits.
    static let limit = Int(UInt16.max)

    /// - Throws: `.usage` when there are too many, or they are larger than a message may be (1 GiB).
    mutating func fill(_ values: [PostgresValue]) throws(PostgresError) {
        guard values.count <= Self.limit else {
            throw PostgresError(kind: .usage, message: "more than \(Self.limit) parameters")
        }
        clear()
        for value in values {
            offsets.append(buffer.count)
            buffer.append(value)
            types.append(value.type)
            lengths.append(Int32(clamping: buffer.count - (offsets.last ?? 0)))
        }
        guard buffer.count < 1 << 30 else {
            clear()
            throw PostgresError(kind: .usage, message: "parameters of more than 1 GiB")
        }
        formats = Array(repeating: 1, count: values.count)
        pointers = values.indices.map { index in
            // An empty value needs a pointer too: libpq takes nil for NULL.
            values[index].isNull
                ? nil : buffer.bytes.baseAddress?.advanced(by: offsets[index]).assumingMemoryBound(to: CChar.self)
        }
    }

    /// Removes the values, and frees the memory of a large batch.
    mutating func clear() {
        buffer.removeAll()
        offsets.removeAll(keepingCapacity: true)
        types.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        pointers.removeAll(keepingCapacity: true)
    }

    /// The pointers are valid until the next `fill` or `clear`.
    func send(
        _ body: (Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Int32
    ) -> Int32 {
        body(Int32(pointers.count), pointers, lengths, formats)
    }
}
