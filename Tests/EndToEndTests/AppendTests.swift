import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// Rules E1, E2, E4 and P1–P6 over real TCP and a real log.
@Suite("Append", .fewAtATime) struct AppendTests {
    private let user = UserID.random()

    private func with(_ body: (TestServer, WireClient, DeviceID) async throws -> Void) async throws {
        try await TestServer.with { server in
            let device = DeviceID.random()
            let (client, _) = try await WireClient.open(server, user: user, device: device)
            try await client.append(from: 1, Envelope.setUp("a"))
            _ = try await client.appended()
            try await body(server, client, device)
            await client.close()
        }
    }

    private func count(_ server: TestServer) throws -> Int64 {
        let database = try server.database()
        defer { database.close() }
        return try database.query(TestStatement.countEvents).int8(row: 0, column: 0)
    }

    @Test("P2: resending after a lost acknowledgement stores nothing new and answers as the first time")
    func resend() async throws {
        try await with { server, client, device in
            let events = [Envelope.post("n", app: "a"), .post("x", app: "nobody"), .post("m", app: "a")]
            try await client.append(from: 3, events)
            let first = try await client.appended()
            #expect(first.refused.map(\.code) == ["app_unknown"])
            await client.close()
            let (again, welcome) = try await WireClient.open(server, user: user, device: device)
            #expect(welcome.lastSequence == DeviceSequence(5))
            try await again.append(from: 3, events)
            let second = try await again.appended()
            #expect(second == first)
            #expect(try count(server) == 5)
            await again.close()
        }
    }

    @Test("P3: another event under a sequence that is taken is sequence_conflict")
    func conflict() async throws {
        try await with { server, client, _ in
            try await client.append(from: 2, [.post("n", app: "a")])
            let error = try await client.error()
            #expect(error.code == .sequenceConflict && error.sequence == DeviceSequence(2))
            #expect(try count(server) == 2)
        }
    }

    @Test("P4: a gap stores nothing, names the expected sequence once, and appends are ignored until it comes")
    func gap() async throws {
        try await with { server, client, _ in
            let events = (3...6).map { Envelope.post("n\($0)", app: "a") }
            try await client.append(from: 4, [events[1]])
            try await client.append(from: 5, [events[2]])
            let error = try await client.error()
            #expect(error.code == .sequenceGap && error.expected == DeviceSequence(3))
            try await client.append(from: 3, events)
            let message = try await client.first { message -> ServerMessage? in
                switch message {
                case .appended, .error: message
                default: nil
                }
            }
            guard case .appended(let appended) = message else {
                Issue.record("a second report: \(message)")
                return
            }
            #expect(appended.throughSequence == DeviceSequence(6))
            #expect(try count(server) == 6)
        }
    }

    @Test("P4, S6: the gaps of two incarnations are reported one by one, each once")
    func gapsOfTwoIncarnations() async throws {
        try await with { _, client, _ in
            for incarnation in Int64(7)...8 {
                for sequence in Int64(5)...6 {
                    let event = Reoffer.Offered(envelope: .post("n", app: "a"), outcome: .accepted)
                    let offer = Reoffer(
                        incarnation: Incarnation(incarnation), firstSequence: DeviceSequence(sequence),
                        events: [event], code: [])
                    try await client.send(.heal(.reoffer(offer)))
                }
            }
            for _ in 7...8 {
                let error = try await client.error()
                #expect(error.code == .sequenceGap && error.expected == DeviceSequence(1))
            }
            try await client.append(from: 3, [.post("n", app: "a")])
            let message = try await client.first { message -> ServerMessage? in
                switch message {
                case .appended, .error: message
                default: nil
                }
            }
            guard case .appended = message else {
                Issue.record("a third report: \(message)")
                return
            }
        }
    }

    @Test("P5, E2: one bad event does not stop the others, is logged as event.refused, and its sequence is taken")
    func refusal() async throws {
        try await with { server, client, _ in
            let malformed = Envelope(
                id: .random(), type: "notification.posted", app: "a", occurredAt: .now, schemaVersion: 1,
                payload: [0xFF])
            let late = Envelope.of(
                .badgeCleared, app: "a", at: Timestamp.now.adding(microseconds: 10 * 60 * 1_000_000))
            let badApp = Envelope.of(.badgeCleared, app: "not an app")
            let huge = Envelope(
                id: .random(), type: "notification.posted", app: "a", occurredAt: .now, schemaVersion: 1,
                payload: Array(repeating: 0, count: EventLimits.payloadBytes + 1))
            try await client.append(
                from: 3, [malformed, .post("good", app: "a"), late, badApp, huge, .post("last", app: "a")])
            let appended = try await client.appended()
            #expect(appended.throughSequence == DeviceSequence(8))
            #expect(
                appended.refused.map(\.code) == [
                    "payload_malformed", "clock_skew", "field_invalid", "payload_too_large",
                ])
            #expect(appended.refused.map(\.sequence.rawValue) == [3, 5, 6, 7])
            #expect(try count(server) == 8)
            let refusals: [DeltaRow] = try await client.first { message in
                guard case .delta(_, let rows, _) = message else { return nil }
                let refusals = rows.filter { $0.key.collection == .refusals }
                return refusals.isEmpty ? nil : refusals
            }
            #expect(refusals.count == 4)
        }
    }

    @Test(
        "E4: occurred_at before PostgreSQL's time begins is refused, and from its first microsecond on logged as it is")
    func tooEarly() async throws {
        try await with { server, client, device in
            let earliest = Int64(-210_866_803_200_000_000)
            let times = [Int64.min, earliest - 1, earliest, -1].map(Timestamp.init(microseconds:))
            let events = times.map { Envelope.of(.badgeCleared, app: "a", at: $0) }
            try await client.append(from: 3, events)
            let appended = try await client.appended()
            #expect(appended.refused.map(\.code) == ["clock_skew", "clock_skew"])
            #expect(appended.refused.map(\.sequence.rawValue) == [3, 4])
            let logged = try await onThread { try server.events(of: user) }.suffix(4).map(\.occurredAt)
            #expect(logged == [times[2], times[2], times[2], times[3]])
            // If the answer is lost, the repeat gets the same one (rule P2).
            await client.close()
            let (again, _) = try await WireClient.open(server, user: user, device: device)
            try await again.append(from: 3, events)
            #expect(try await again.appended() == appended)
            await again.close()
        }
    }

    @Test("E2: a type that this server does not know is not logged, and stops the queue until the server does")
    func unknownType() async throws {
        try await with { server, client, _ in
            let future = Envelope(
                id: .random(), type: "future.thing", app: nil, occurredAt: .now, schemaVersion: 1, payload: [])
            try await client.append(from: 3, [.post("n", app: "a"), future, .post("m", app: "a")])
            #expect(try await client.appended().throughSequence == DeviceSequence(3))
            let error = try await client.error()
            #expect(error.code == .eventUnknown && error.code.isRetryable && error.sequence == DeviceSequence(4))
            #expect(try count(server) == 3)
        }
    }

    @Test("A4: an event for an app outside the scope is refused forbidden, and other scopes do not see the refusal")
    func forbidden() async throws {
        try await with { server, client, device in
            let (app, _) = try await WireClient.open(
                server, user: user, device: device, scope: .app(AppID("b")!), incarnation: 2)
            try await app.append(from: 1, [.post("n", app: "a")])
            #expect(try await app.appended().refused.map(\.code) == ["forbidden"])
            var replica = Replica()
            while replica.cursor?.version != Version(5) { replica.apply(try await client.next()) }
            #expect(!replica.rows.keys.contains { $0.collection == .refusals })
            await app.close()
        }
    }

    @Test("E1: an event known from an earlier incarnation is a duplicate, and the new sequence goes on")
    func repeatedAcrossIncarnations() async throws {
        try await with { server, client, device in
            let event = Envelope.post("n", app: "a")
            try await client.append(from: 3, [event])
            _ = try await client.appended()
            await client.close()
            let (restored, welcome) = try await WireClient.open(server, user: user, device: device, incarnation: 9)
            #expect(welcome.lastSequence == .zero)
            try await restored.append(from: 1, [event, .post("m", app: "a")])
            let appended = try await restored.appended()
            #expect(appended.throughSequence == DeviceSequence(2) && appended.refused == [])
            let (other, _) = try await WireClient.open(server, user: user, device: device, incarnation: 10)
            var replica = Replica()
            while replica.cursor?.version != appended.version { replica.apply(try await other.next()) }
            #expect(replica.rows.keys.filter { $0.collection == .notifications }.count == 2)
            #expect(!replica.rows.keys.contains { $0.collection == .refusals })
            await restored.close()
            await other.close()
        }
    }

    @Test("P6: pipelined appends of a device keep their order")
    func order() async throws {
        try await with { server, client, _ in
            for sequence in 3..<203 {
                try await client.append(from: Int64(sequence), [.post("n", app: "a", body: "\(sequence)")])
            }
            var last = DeviceSequence.zero
            while last < DeviceSequence(202) {
                let appended = try await client.appended()
                #expect(appended.throughSequence > last)
                last = appended.throughSequence
            }
            #expect(try count(server) == 202)
        }
    }
}
