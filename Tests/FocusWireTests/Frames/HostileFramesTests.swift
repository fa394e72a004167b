import FocusCore
import SeededNumbers
import Testing

@testable import FocusWire

/// Any bytes decode to a message or an error, and the decoder written by hand agrees with the generated one.
@Suite("Hostile frames")
struct HostileFramesTests {
    private func expectAgreement(_ bytes: [UInt8], _ note: String) {
        let client = (Result { try FrameCodec.decodeClient(bytes) }, Result { try FrameCodec.generatedClient(bytes) })
        switch client {
        case (.success(let a), .success(let b)): #expect(a == b, "\(note)")
        case (.failure, .failure): break
        case (.success, .failure), (.failure, .success): Issue.record("client decoders differ: \(bytes) \(note)")
        }
        let server = (Result { try FrameCodec.decodeServer(bytes) }, Result { try FrameCodec.generatedServer(bytes) })
        switch server {
        case (.success(let a), .success(let b)): #expect(a == b, "\(note)")
        case (.failure, .failure): break
        case (.success, .failure), (.failure, .success): Issue.record("server decoders differ: \(bytes) \(note)")
        }
    }

    private static let frames =
        SampleMessages.client.map { FrameCodec.frame($0) } + SampleMessages.server.map { FrameCodec.frame($0) }

    @Test("W4: both decoders agree on a frame that is cut off anywhere")
    func truncated() {
        for frame in Self.frames where frame.count < 2_000 {
            let bytes = Array(frame.dropFirst(4))
            for count in 0..<bytes.count { expectAgreement(Array(bytes.prefix(count)), "cut at \(count)") }
        }
    }

    @Test("W4: both decoders agree on a frame with any one byte wrong", arguments: [UInt64](1...40))
    func flipped(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for frame in Self.frames where frame.count > 4 && frame.count < 2_000 {
            var bytes = Array(frame.dropFirst(4))
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            expectAgreement(bytes, "seed \(seed)")
        }
    }

    @Test("W4: both decoders agree on two messages joined without a length between them", arguments: [UInt64](1...20))
    func joined(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let (a, b) = (
            try #require(Self.frames.randomElement(using: &random)),
            try #require(Self.frames.randomElement(using: &random))
        )
        expectAgreement(Array(a.dropFirst(4) + b.dropFirst(4)), "seed \(seed)")
    }

    @Test("W4: both decoders agree on random bytes", arguments: [UInt64](1...100))
    func random(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<20 { expectAgreement(random.bytes(Int.random(in: 0...100, using: &random)), "seed \(seed)") }
    }

    @Test("W4: both decoders agree on random bytes inside the hot messages", arguments: [UInt64](1...100))
    func randomInside(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for field in [2, 4, 7, 9] {
            var frame = ProtoWriter()
            frame.message(field) { inner in
                for _ in 0..<3 { inner.presentData(2, random.bytes(Int.random(in: 0...12, using: &random))) }
            }
            expectAgreement(frame.bytes, "seed \(seed)")
        }
    }

    @Test("W4: both decoders agree on a length inside a message that passes its end by 2^63")
    func innerLength() {
        let huge: [UInt8] = [0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]
        expectAgreement(huge, "varint of 2^64 - 1")
        expectAgreement([0x12, 11] + huge, "inside an append")
        expectAgreement([0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], "a varint over 64 bits")
    }

    @Test("W4: both decoders agree on messages nested deeper than any of ours")
    func nesting() {
        var bytes: [UInt8] = []
        for _ in 0..<500 {
            var outer = ProtoWriter()
            outer.presentData(6, bytes)
            bytes = outer.bytes
        }
        expectAgreement(bytes, "nested")
        expectAgreement(Array(repeating: 0x0B, count: 10_000), "groups that never end")
    }
}
