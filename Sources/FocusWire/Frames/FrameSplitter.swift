import FocusCore

/// Cuts a stream of bytes, however it was split or joined on its way (rule W2), into messages.
///
/// Feed what the socket gave, then take messages with `next` until there is none. Memory: what was fed and not taken;
/// while it is drained after every feeding, less than one frame of the limit and one feeding. Nothing is reserved for a
/// length that was only announced.
public struct FrameSplitter: Sendable {
    /// Bytes of the length before each message: big-endian, without itself.
    public static let prefixBytes = 4

    /// Largest message taken, in bytes (rule W1). May be raised between two calls of `next`, when Hello was accepted.
    public var limit: Int

    private var buffer: [UInt8] = []
    private var position = 0
    private var failure: FrameError?

    /// - Parameter limit: at first; `FrameCodec.maximumBytesBeforeHello` on a server.
    public init(limit: Int = FrameCodec.maximumBytesBeforeHello) { self.limit = limit }

    /// Bytes fed and not yet taken.
    public var pendingBytes: Int { buffer.count - position }

    /// Takes bytes from the socket. After an error they are dropped.
    public mutating func feed(_ bytes: UnsafeRawBufferPointer) {
        guard failure == nil else { return }
        if position > 0 {
            buffer.removeFirst(position)
            position = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// Takes bytes from the socket. After an error they are dropped.
    public mutating func feed(_ bytes: some Sequence<UInt8>) {
        let done: Void? = bytes.withContiguousStorageIfAvailable { feed(UnsafeRawBufferPointer($0)) }
        if done == nil { Array(bytes).withUnsafeBytes { feed($0) } }
    }

    /// The next whole message without its length; nil until more bytes come. An error is final: it is thrown again by
    /// every later call.
    public mutating func next() throws(FrameError) -> [UInt8]? {
        if let failure { throw failure }
        guard pendingBytes >= Self.prefixBytes else {
            if pendingBytes == 0 { release() }
            return nil
        }
        let announced = buffer[position..<position + Self.prefixBytes].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard announced <= limit else {
            let error = FrameError.tooLarge(announced: announced, limit: limit)
            failure = error
            release()
            throw error
        }
        let start = position + Self.prefixBytes
        let end = start + Int(announced)
        guard end <= buffer.count else { return nil }
        position = end
        return Array(buffer[start..<end])
    }

    /// Frees the buffer: an idle connection holds none.
    private mutating func release() {
        buffer = []
        position = 0
    }
}
