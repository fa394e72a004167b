import FocusCore
import FocusWire
import NIOCore
import NIOEmbedded
import Testing

@testable import FocusSyncClient

@Suite("ServerFrameHandler") struct ServerFrameHandlerTests {
    @Test("L4: a ping is answered, unless much waits to be sent: that is a sign of life, and pongs would gather")
    func pings() throws {
        let channel = EmbeddedChannel()
        let (source, messages) = ServerMessages.makeSource(channel: channel)
        try channel.pipeline.syncOperations.addHandler(ServerFrameHandler(source))
        func pongs(to count: UInt64) throws -> Int {
            for nonce in 0..<count {
                try channel.writeInbound(ByteBuffer(bytes: FrameCodec.frame(ServerMessage.ping(nonce))))
            }
            var pongs = 0
            while try channel.readOutbound(as: ByteBuffer.self) != nil { pongs += 1 }
            return pongs
        }
        #expect(try pongs(to: 3) == 3)
        channel.isWritable = false
        #expect(try pongs(to: 3) == 0)
        channel.isWritable = true
        #expect(try pongs(to: 1) == 1)
        _ = messages
        _ = try channel.finish()
    }
}
