import FocusCore
import Logging
import NIOCore
import NIOEmbedded
import Support
import Testing

@testable import SyncServer

/// Many devices at once (rules L3, L5).
@Suite("Reconnects", .fewAtATime) struct ReconnectTests {
    @Test("L5: devices that connect all at once are all let in, and one that is there is answered meanwhile")
    func crowd() async throws {
        try await TestServer.with { server in
            let user = UserID.random()
            let (phone, _) = try await WireClient.open(server, user: user)
            try await phone.append(from: 1, Envelope.setUp("a"))
            _ = try await phone.appended()
            try await withThrowingTaskGroup { group in
                for _ in 0..<200 {
                    group.addTask {
                        let (device, welcome) = try await WireClient.open(server, user: .random())
                        #expect(welcome.lastSequence == .zero)
                        await device.close()
                    }
                }
                try await phone.append(from: 3, [.post("n1", app: "a")])
                #expect(try await phone.appended().throughSequence == DeviceSequence(3))
                try await group.waitForAll()
            }
            await phone.close()
        }
    }

    @Test("L3: after a batch of new connections the loop serves the others before it takes more")
    func pace() throws {
        let reads = ReadCounter()
        let channel = EmbeddedChannel(handlers: [reads, AcceptPace()])
        channel.pipeline.read()
        #expect(reads.count == 1, "whoever comes alone does not wait")
        for _ in 0..<AcceptPace.batch { try takeOne(channel) }
        channel.pipeline.read()
        #expect(reads.count == 1)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(3))
        #expect(reads.count == 1)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(reads.count == 2)
        channel.pipeline.read()
        #expect(reads.count == 3, "nobody was taken since: no pause")
        _ = try channel.finish()
    }

    @Test("L3: the pause is as long as what was taken costs: behind one connection a sixteenth of that behind a batch")
    func shortPause() throws {
        let reads = ReadCounter()
        let channel = EmbeddedChannel(handlers: [reads, AcceptPace()])
        for round in 1...3 {
            try takeOne(channel)
            channel.pipeline.read()
            channel.embeddedEventLoop.advanceTime(by: .microseconds(249))
            #expect(reads.count == round - 1)
            channel.embeddedEventLoop.advanceTime(by: .microseconds(1))
            #expect(reads.count == round)
        }
        _ = try channel.finish()
    }

    /// A connection arrives and ends; one that stays open would keep itself in memory.
    private func takeOne(_ channel: EmbeddedChannel) throws {
        let taken = EmbeddedChannel()
        try channel.writeInbound(taken as any Channel)
        _ = try taken.finish()
    }
}

/// Counts the reads that reach the socket.
private final class ReadCounter: ChannelOutboundHandler {
    typealias OutboundIn = Any
    private(set) var count = 0

    func read(context: ChannelHandlerContext) {
        count += 1
        context.read()
    }
}
