import FocusCore
import FocusWire
import Testing

/// Whoever writes a client from `Schema/` alone checks it with the vectors there, so the server's code must make
/// exactly these. `Schema/clients/python` checks them with code of its own.
@Suite("Vectors") struct VectorTests {
    @Test("W1: frames.txt is what the codec writes")
    func frames() throws { try FrameVectors.file().expectKept() }

    @Test("S9: digests.txt is what rows add up to")
    func digests() throws { try DigestVectors.file().expectKept() }

    @Test("S6: receipts.txt is what a server gives and accepts")
    func receipts() throws { try ReceiptVectors.file().expectKept() }

    @Test("P10: incarnations.txt is where stores go on")
    func incarnations() throws { try IncarnationVectors.file().expectKept() }

    @Test("every kind of message is among the frames")
    func complete() throws {
        let vectors = try FrameStory.vectors()
        let names = Set(vectors.map { String($0.name.prefix { $0 != "." }) })
        for message in SampleMessages.client {
            guard message != .unknown, let name = try vectorName(.device, FrameCodec.frame(message)) else { continue }
            #expect(names.contains(name), "\(name)")
        }
        for message in SampleMessages.server {
            guard message != .unknown, let name = try vectorName(.server, FrameCodec.frame(message)) else { continue }
            #expect(names.contains(name), "\(name)")
        }
    }

    /// The message's name in its frame, as in the .proto file; nil for a frame that this program does not know.
    private func vectorName(_ side: FrameVector.Side, _ frame: [UInt8]) throws -> String? {
        let json = try FrameVector(side, "", frame).json()
        guard let name = json.firstMatch(of: #/^\{"([A-Za-z]+)"/#)?.1 else { return nil }
        return name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
    }

    @Test("W3, W4: what is unknown is passed over, and what is no message is malformed")
    func strange() throws {
        for vector in try FrameStory.vectors() {
            switch vector.side {
            case .laterServer:
                let isPong = vector.name == "pong.field"
                #expect(try FrameCodec.decodeServer(vector.message) == (isPong ? .pong(17) : .unknown))
            case .laterDevice:
                let isPing = vector.name == "ping.field"
                #expect(try FrameCodec.decodeClient(vector.message) == (isPing ? .ping(17) : .unknown))
            case .malformed:
                #expect(throws: FrameError.self) { try FrameCodec.decodeClient(vector.message) }
            case .device: #expect(try FrameCodec.decodeClient(vector.message) != .unknown)
            case .server: #expect(try FrameCodec.decodeServer(vector.message) != .unknown)
            }
        }
    }
}
