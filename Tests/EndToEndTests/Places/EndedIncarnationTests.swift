import EventStore
import FocusCore
import FocusWire
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// Rule P10: incarnations that end without ever having had an event, and those that end because another one begins.
@Suite("Ended incarnations", .fewAtATime) struct EndedIncarnationTests {
    private let user = UserID.random()
    private let device = DeviceID.random()

    /// Expects that Welcome names the incarnation as ended, and that it accepts nothing.
    private func expectEnded(_ incarnation: Int64, _ server: TestServer) async throws {
        let (client, welcome) = try await WireClient.open(
            server, user: user, device: device, incarnation: incarnation)
        #expect(welcome.isEnded, "incarnation \(incarnation)")
        try await client.append(from: welcome.lastSequence.next.rawValue, Array(Envelope.setUp("a").prefix(1)))
        let code = try await client.first { message -> ErrorCode? in
            switch message {
            case .error(let error): error.code
            case .appended: .internal
            default: nil
            }
        }
        #expect(code == .sequenceConflict, "incarnation \(incarnation)")
        await client.close()
    }

    @Test("P10: an incarnation that the log does not know ends by a Recall of it, and takes nothing afterwards")
    func unknown() async throws {
        try await TestServer.with { server in
            let (client, _) = try await WireClient.open(server, user: user, device: device)
            // The first Recall has no ids; the second asks for an event that was never sent.
            #expect(try await client.recall(7, from: 1, []).outcomes.isEmpty)
            #expect(try await client.recall(8, from: 1, [.random()]).outcomes == [nil])
            await client.close()
            for incarnation in [Int64(7), 8] { try await expectEnded(incarnation, server) }
        }
    }

    @Test("P10: an ended incarnation takes nothing more: no Lost, and neither Reoffer nor Append into a lost place")
    func lostPlaces() async throws {
        try await TestServer.with { server in
            func lost(_ first: Int64, _ last: Int64) -> ClientMessage {
                .heal(
                    .lost(
                        LostEvents(
                            incarnation: Incarnation(1), first: DeviceSequence(first), last: DeviceSequence(last))))
            }
            let (client, _) = try await WireClient.open(server, user: user, device: device)
            try await client.append(from: 1, Envelope.setUp("a"))
            _ = try await client.appended()
            try await client.send(lost(3, 5))
            #expect(try await client.appended().throughSequence == DeviceSequence(5))
            // While the incarnation is open, a lost place accepts an event.
            try await client.append(from: 5, [.post("k", app: "a")])
            #expect(try await client.appended().refused.isEmpty)
            #expect(try await client.recall(from: 1, []).outcomes.isEmpty)

            try await client.send(lost(6, 7))
            #expect(try await client.error().code == .sequenceConflict)
            let offer = Reoffer(
                incarnation: Incarnation(1), firstSequence: DeviceSequence(3),
                events: [Reoffer.Offered(envelope: .post("m", app: "a"), outcome: .accepted)], code: [])
            try await client.send(.heal(.reoffer(offer)))
            #expect(try await client.appended().refused.map(\.code) == [ErrorCode.sequenceConflict.rawValue])
            try await client.append(from: 4, [.post("n", app: "a")])
            let code = try await client.first { message -> ErrorCode? in
                switch message {
                case .error(let error): error.code
                case .appended: .internal
                default: nil
                }
            }
            #expect(code == .sequenceConflict)
            await client.close()
        }
    }

    @Test("P10: when a 257th incarnation of a scope begins, the one that was used longest ago ends, and no other")
    func openLimit() async throws {
        try await TestServer.with(partitions: 1) { server in
            try await onThread { try begin(256, server) }
            let (client, welcome) = try await WireClient.open(
                server, user: user, device: device, incarnation: 1_000)
            #expect(welcome.lastSequence == .zero && !welcome.isEnded)
            try await client.append(from: 1, Array(Envelope.setUp("a").prefix(1)))
            #expect(try await client.appended().throughSequence == DeviceSequence(1))
            await client.close()
            try await expectEnded(1, server)
            for incarnation in [Int64(2), 256, 1_000] {
                let (other, welcome) = try await WireClient.open(
                    server, user: user, device: device, incarnation: incarnation)
                #expect(!welcome.isEnded, "incarnation \(incarnation)")
                await other.close()
            }
        }
    }

    /// Begins incarnations 1, 2, 3 … of the system scope, long before the day that the limit counts.
    private func begin(_ count: Int64, _ server: TestServer) throws {
        let database = try server.database()
        defer { database.close() }
        let head = try LogReader().heads(of: [Partition(0)], on: database)[0]
        let time = Timestamp(microseconds: 1)
        let events = (1...count).map { number in
            let body = EventBody.deviceIncarnationBegan(
                DeviceIncarnationBegan(device: device, incarnation: Incarnation(number), scope: .system))
            return LoggedEvent(
                partition: Partition(0), offset: head.nextOffset.advanced(by: Int(number) - 1), user: user,
                version: Version(number), device: .server, incarnation: Incarnation(0),
                sequence: DeviceSequence(number), id: .random(), type: body.type.rawValue, app: nil, occurredAt: time,
                recordedAt: time, schemaVersion: FocusWire.payloadSchemaVersion, payload: PayloadCodec.encode(body))
        }
        let outcomes = try LogWriter().append([PartitionAppend(behind: head, events: events)], on: database)
        #expect(outcomes[Partition(0)] != .behind)
    }
}
