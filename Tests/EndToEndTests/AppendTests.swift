import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@testable import SyncServer

/// What the cases of the conformance suite do not ask of appends: gaps of several incarnations, and times at the edge of
/// what PostgreSQL stores.
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
}
