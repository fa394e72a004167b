import FocusCore
import Support
import Testing

@testable import SyncServer

/// NOTIFY is only a hint with a poll behind it, and a server that cannot confirm the heads sends nothing.
@Suite("Head hints", .fewAtATime) struct HeadHintTests {
    private let app = "com.example.chat"

    @Test("NOTIFY: a device on another server is current before that server's poll is due")
    func notified() async throws {
        let time = ManualTime()
        let first = try await TestServer.start(partitions: 2, clock: time.clock)
        let second = try await TestServer.start(conninfo: first.conninfo)
        let user = UserID.random()
        let (reader, _) = try await WireClient.open(first, user: user)
        try await reader.untilLive()
        let (writer, _) = try await WireClient.open(second, user: user)
        for round in 0..<3 {
            try await writer.append(from: Int64(round * 2 + 1), Envelope.setUp("\(app)\(round)"))
            let version = try await writer.appended().version
            #expect(try await reader.deltaVersion() == version)
        }
        for server in [first, second] { try await server.server.stop() }
    }

    @Test("No NOTIFY arrives: a device on another server is current as soon as that server's poll is due")
    func polled() async throws {
        let time = ManualTime()
        let first = try await TestServer.start(partitions: 2, clock: time.clock)
        let second = try await TestServer.start(conninfo: first.conninfo)
        second.server.faults.set(.notifyLost, true)
        let user = UserID.random()
        let (reader, _) = try await WireClient.open(first, user: user)
        try await reader.untilLive()
        let (writer, _) = try await WireClient.open(second, user: user)
        try await writer.append(from: 1, Envelope.setUp(app))
        let version = try await writer.appended().version
        // Just before the poll the server knows of nothing.
        time.advance(milliseconds: 249)
        try await reader.send(.resync([]))
        let before = try await reader.first { if case .snapshotEnd(let cursor) = $0 { cursor.version } else { nil } }
        #expect(before == .zero)
        time.advance(milliseconds: 1)
        #expect(try await reader.deltaVersion() == version)
        for server in [first, second] { try await server.server.stop() }
    }

    @Test("A server that has not confirmed its heads for 1 s sends no rows until it has")
    func stale() async throws {
        let time = ManualTime()
        let server = try await TestServer.start(partitions: 1, clock: time.clock)
        let (device, _) = try await WireClient.open(server, user: .random())
        try await device.untilLive()
        server.server.faults.set(.headsUnanswered, true)
        time.advance(milliseconds: 999)
        try await device.append(from: 1, Envelope.setUp(app))
        #expect(try await device.appended().version == Version(3))
        #expect(try await device.deltaVersion() == Version(3))
        time.advance(milliseconds: 1)
        try await device.append(from: 3, [.post("a", app: app)])
        try await device.append(from: 4, [.post("b", app: app)])
        // Durable events are acknowledged; a delta would have come between the two answers.
        var messages: [ServerMessage] = []
        while messages.count < 2 {
            let message = try await device.next()
            if case .checkpoint = message { Issue.record("a checkpoint tells of rows too") }
            messages.append(message)
        }
        #expect(messages.allSatisfy { if case .appended = $0 { true } else { false } }, "\(messages)")
        server.server.faults.set(.headsUnanswered, false)
        #expect(try await device.deltaVersion() == Version(5))
        try await server.server.stop()
    }
}
