import FocusCore
import SeededNumbers
import Testing

@testable import FocusWire

@Suite("FrameSplitter")
struct FrameSplitterTests {
    private func prefix(_ count: UInt32) -> [UInt8] { withUnsafeBytes(of: count.bigEndian) { Array($0) } }

    private func drain(_ splitter: inout FrameSplitter) throws(FrameError) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        while let message = try splitter.next() { messages.append(message) }
        return messages
    }

    @Test("W2: frames split at every byte boundary")
    func splitAnywhere() throws {
        let messages: [[UInt8]] = [[1, 2, 3], [], [4], Array(repeating: 5, count: 300)]
        let stream = messages.flatMap { prefix(UInt32($0.count)) + $0 }
        for cut in 0...stream.count {
            var splitter = FrameSplitter()
            var received: [[UInt8]] = []
            for part in [stream[..<cut], stream[cut...]] {
                splitter.feed(part)
                received += try drain(&splitter)
            }
            #expect(received == messages, "cut at \(cut)")
            #expect(splitter.pendingBytes == 0)
        }
    }

    @Test("W2: one byte at a time")
    func oneByteAtATime() throws {
        var splitter = FrameSplitter(limit: FrameCodec.maximumBytes)
        var received: [ClientMessage] = []
        for byte in SampleMessages.client.flatMap({ FrameCodec.frame($0) }) {
            splitter.feed(CollectionOfOne(byte))
            received += try drain(&splitter).map { try FrameCodec.decodeClient($0) }
        }
        #expect(received == SampleMessages.client)
    }

    @Test("W2: many frames at once, in random pieces", arguments: [UInt64](1...20))
    func randomPieces(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let messages = (0..<50).map { _ in random.bytes(Int.random(in: 0...400, using: &random)) }
        var stream = messages.flatMap { prefix(UInt32($0.count)) + $0 }[...]
        var splitter = FrameSplitter()
        var received: [[UInt8]] = []
        while !stream.isEmpty {
            let piece = stream.prefix(Int.random(in: 1...700, using: &random))
            stream = stream.dropFirst(piece.count)
            piece.withUnsafeBytes { splitter.feed($0) }
            // Drains only now and then: frames that wait must not be lost.
            if Bool.random(using: &random) { received += try drain(&splitter) }
        }
        received += try drain(&splitter)
        #expect(received == messages, "seed \(seed)")
    }

    @Test(
        "W1: a length over the limit is an error before anything is held for it",
        arguments: [9, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF] as [UInt32])
    func tooLarge(announced: UInt32) {
        var splitter = FrameSplitter(limit: 8)
        splitter.feed(prefix(announced) + [1, 2, 3])
        let expected = FrameError.tooLarge(announced: announced, limit: 8)
        #expect(throws: expected) { try splitter.next() }
        #expect(splitter.pendingBytes == 0)
        // The error is permanent, because the bytes after such a length have no meaning.
        splitter.feed(prefix(1) + [1])
        #expect(throws: expected) { try splitter.next() }
        #expect(splitter.pendingBytes == 0)
    }

    @Test("W1: a frame of exactly the limit is taken, whole frames before an error too")
    func atTheLimit() throws {
        var splitter = FrameSplitter(limit: 8)
        splitter.feed(prefix(8) + Array(1...8) + prefix(9))
        #expect(try splitter.next() == Array(1...8))
        #expect(throws: FrameError.tooLarge(announced: 9, limit: 8)) { try splitter.next() }
    }

    @Test("W1: 64 KiB until Hello is accepted, 1 MiB from the next frame on")
    func limitRises() throws {
        #expect(FrameCodec.maximumBytesBeforeHello == 64 * 1024 && FrameCodec.maximumBytes == 1024 * 1024)
        var splitter = FrameSplitter()
        #expect(splitter.limit == FrameCodec.maximumBytesBeforeHello)
        let large = [UInt8](repeating: 1, count: 70_000)
        splitter.feed(prefix(3) + [1, 2, 3] + prefix(70_000) + large)
        #expect(try splitter.next() == [1, 2, 3])
        splitter.limit = FrameCodec.maximumBytes
        #expect(try splitter.next() == large)
        #expect(try splitter.next() == nil)
    }

    @Test("an announced length alone holds no memory")
    func announcedOnly() throws {
        var splitter = FrameSplitter(limit: 1024 * 1024)
        splitter.feed(prefix(1024 * 1024))
        #expect(try splitter.next() == nil)
        #expect(splitter.pendingBytes == 4)
    }
}
