/// A growing block of bytes in PostgreSQL's binary format (network byte order). Reused from query to query, so
/// that a large batch costs one copy of its bytes and no allocation.
struct BinaryBuffer: ~Copyable {
    private var storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 8)
    private(set) var count = 0

    /// Bytes that are kept between uses. A larger block is freed, so that one huge batch does not hold its memory for
    /// ever.
    private static let keptCapacity = 4 << 20

    deinit { storage.deallocate() }

    /// Valid until the next append.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[..<count]) }

    mutating func removeAll() {
        count = 0
        if storage.count > Self.keptCapacity {
            storage.deallocate()
            storage = .allocate(byteCount: 4096, alignment: 8)
        }
    }

    mutating func reserve(_ additional: Int) {
        let needed = count + additional
        guard needed > storage.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(needed, storage.count * 2), alignment: 8)
        larger.copyMemory(from: bytes)
        storage.deallocate()
        storage = larger
    }

    mutating func append<T: FixedWidthInteger>(_ value: T) {
        reserve(MemoryLayout<T>.size)
        storage.storeBytes(of: value.bigEndian, toByteOffset: count, as: T.self)
        count += MemoryLayout<T>.size
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 0 else { return }
        reserve(bytes.count)
        UnsafeMutableRawBufferPointer(rebasing: storage[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Overwrites four bytes written before: a length that was not known yet.
    mutating func replace(at position: Int, with value: Int32) {
        storage.storeBytes(of: value.bigEndian, toByteOffset: position, as: Int32.self)
    }
}
