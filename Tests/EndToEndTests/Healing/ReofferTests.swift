import EventStore
import FocusCore
import Foundation
import Support
import Testing

@testable import SyncServer

/// Rule S6 on the wire: what a server accepts under a receipt, and what it does not.
@Suite("Re-offered events", .fewAtATime) struct ReofferTests {
    private static let app = "com.example.chat"

    /// A frame that a device had acknowledged, and its answer.
    private struct Batch {
        var first: Int64
        var envelopes: [Envelope]
        var appended: Appended

        func request(incarnation: Int64 = 1, _ change: (inout Reoffer) -> Void = { _ in }) -> ClientMessage {
            let refused = Dictionary(uniqueKeysWithValues: appended.refused.map { ($0.event, $0) })
            var offer = Reoffer(
                incarnation: Incarnation(incarnation), firstSequence: DeviceSequence(first),
                events: envelopes.map { envelope in
                    let refusal = refused[envelope.id]
                    return Reoffer.Offered(
                        envelope: envelope,
                        outcome: refusal.map { .refused(code: $0.code, message: $0.message) } ?? .accepted)
                }, code: appended.receipts.first?.code ?? [])
            change(&offer)
            return .heal(.reoffer(offer))
        }
    }

    /// Logs sequences 1 and 2 that register the app, then three frames of two events each (3 to 8), and restores the
    /// log to its empty beginning.
    private func lose(
        _ user: UserID, _ device: DeviceID, _ body: (RestorableLog, [Batch]) async throws -> Void
    ) async throws {
        let log = try await RestorableLog()
        let backup = try await log.backUp()
        let (client, _) = try await WireClient.open(log.server, user: user, device: device)
        var batches: [Batch] = []
        for (first, envelopes) in [
            (1, Envelope.setUp(Self.app)),
            (3, [.post("a", app: Self.app), .post("x", app: "com.example.nobody")]),
            (5, [.post("b", app: Self.app), .post("c", app: Self.app)]),
            (7, [.post("d", app: Self.app), .post("e", app: Self.app)]),
        ] as [(Int64, [Envelope])] {
            try await client.append(from: first, envelopes)
            batches.append(Batch(first: first, envelopes: envelopes, appended: try await client.appended()))
        }
        await client.close()
        try await log.restore(backup)
        try await body(log, batches)
        try await log.stop()
    }

    private func types(_ log: RestorableLog, _ user: UserID) async throws -> [String] {
        try await log.replay(user).events.map(\.type)
    }

    @Test("S6: each frame has a receipt of its own; events come back under it as they were judged then")
    func reoffered() async throws {
        let (user, device) = (UserID.random(), DeviceID.random())
        try await lose(user, device) { log, batches in
            #expect(batches.allSatisfy { $0.appended.receipts.count == 1 })
            #expect(batches[1].appended.receipts[0].first == DeviceSequence(3))
            #expect(batches[1].appended.receipts[0].through == DeviceSequence(4))
            #expect(batches[1].appended.receipts[0].code.count == ReceiptKey.codeBytes)
            let (client, welcome) = try await WireClient.open(log.server, user: user, device: device)
            #expect(welcome.lastSequence == .zero)
            for batch in batches {
                try await client.send(batch.request())
                let answer = try await client.appended()
                #expect(answer.throughSequence == batch.appended.throughSequence)
                #expect(answer.refused == batch.appended.refused)
                #expect(answer.receipts == [] && answer.incarnation == nil)
            }
            // Offering the same events again logs nothing new.
            try await client.send(batches[2].request())
            #expect(try await client.appended().throughSequence == DeviceSequence(6))
            let (events, _) = try await log.replay(user)
            #expect(events.map(\.id) == batches.flatMap { $0.envelopes.map(\.id) })
            #expect(events.allSatisfy { $0.encoding == LoggedEvent.healed })
            #expect(events.map(\.type)[3] == "event.refused")
            #expect(events[2].payload == batches[1].envelopes[0].payload)
            // The queue continues after the re-offered events.
            try await client.append(from: 9, [.post("f", app: Self.app)])
            #expect(try await client.appended().throughSequence == DeviceSequence(9))
            await client.close()
        }
    }

    @Test("S6: what nobody holds any more is logged as lost, once, and what turns up later gets its place, once")
    func lost() async throws {
        let (user, device) = (UserID.random(), DeviceID.random())
        try await lose(user, device) { log, batches in
            let (client, _) = try await WireClient.open(log.server, user: user, device: device)
            try await client.send(batches[0].request())
            _ = try await client.appended()
            try await client.send(batches[3].request())
            let gap = try await client.error()
            #expect(gap.code == .sequenceGap && gap.expected == DeviceSequence(3))
            let lost = LostEvents(incarnation: Incarnation(1), first: DeviceSequence(3), last: DeviceSequence(6))
            for _ in 0..<2 {
                try await client.send(.heal(.lost(lost)))
                #expect(try await client.appended().throughSequence == DeviceSequence(6))
            }
            for _ in 0..<2 {
                try await client.send(batches[2].request())
                #expect(try await client.appended().throughSequence == DeviceSequence(6))
            }
            try await client.send(batches[3].request())
            #expect(try await client.appended().throughSequence == DeviceSequence(8))
            let (events, state) = try await log.replay(user)
            #expect(
                events.map(\.type) == [
                    "app.registered", "authorization.changed", "device.eventsLost", "notification.posted",
                    "notification.posted", "notification.posted", "notification.posted",
                ])
            #expect(events[3...4].map(\.sequence) == [DeviceSequence(5), DeviceSequence(6)])
            #expect(
                try events[2].decoded().body
                    == .deviceEventsLost(DeviceEventsLost(first: DeviceSequence(3), last: DeviceSequence(6))))
            #expect(events[2].sequence == DeviceSequence(6) && events[2].device == device)
            #expect(state.lastSequence(of: device, incarnation: Incarnation(1)) == DeviceSequence(8))
            // A range past the end of the log, and one that ends before it begins.
            try await client.send(
                .heal(
                    .lost(LostEvents(incarnation: Incarnation(1), first: DeviceSequence(11), last: DeviceSequence(12))))
            )
            #expect(try await client.error().expected == DeviceSequence(9))
            try await client.send(
                .heal(.lost(LostEvents(incarnation: Incarnation(1), first: DeviceSequence(9), last: DeviceSequence(8))))
            )
            #expect(try await client.error().code == .malformedFrame)
            await client.close()
        }
    }

    @Test("S6: without the very receipt of the very events they are judged as if they came for the first time")
    func unproved() async throws {
        let (user, device) = (UserID.random(), DeviceID.random())
        try await lose(user, device) { log, batches in
            // The registration is declared lost: judged anew, the posts belong to an unknown app.
            let lost = LostEvents(incarnation: Incarnation(1), first: DeviceSequence(1), last: DeviceSequence(4))
            let (client, _) = try await WireClient.open(log.server, user: user, device: device)
            try await client.send(.heal(.lost(lost)))
            _ = try await client.appended()
            let altered: [(inout Reoffer) -> Void] = [
                { $0.code = [] }, { $0.code[0] ^= 1 }, { $0.code = batches[3].appended.receipts[0].code },
            ]
            // The other two use other devices, because a refusal takes the sequence.
            try await client.send(batches[2].request(altered[1]))
            let refused = try await client.appended()
            #expect(refused.refused.map(\.code) == ["app_unknown", "app_unknown"])
            #expect(refused.receipts.map(\.first) == [DeviceSequence(5)])
            for change in [altered[0], altered[2]] {
                let (other, _) = try await WireClient.open(log.server, user: user, device: .random())
                try await other.send(
                    batches[2].request {
                        $0.firstSequence = DeviceSequence(1)
                        change(&$0)
                    })
                #expect(try await other.appended().refused.count == 2)
                await other.close()
            }
            await client.close()
        }
    }

    @Test("S6: a receipt of another user, device or incarnation is none")
    func othersReceipt() async throws {
        let (user, device) = (UserID.random(), DeviceID.random())
        try await lose(user, device) { log, batches in
            // Incarnation 2 offers another batch, because events with the same id are judged only once (rule E1).
            func offer(as user: UserID, _ device: DeviceID, _ incarnation: Int64) async throws -> [String] {
                let batch = batches[incarnation == 1 ? 2 : 3]
                let (client, _) = try await WireClient.open(log.server, user: user, device: device)
                let lost = LostEvents(
                    incarnation: Incarnation(incarnation), first: DeviceSequence(1),
                    last: DeviceSequence(batch.first - 1))
                try await client.send(.heal(.lost(lost)))
                let answer = try await client.appended()
                #expect(answer.incarnation == (incarnation == 1 ? nil : Incarnation(incarnation)))
                try await client.send(batch.request(incarnation: incarnation))
                let codes = try await client.appended().refused.map(\.code)
                await client.close()
                return codes
            }
            let refused = ["app_unknown", "app_unknown"]
            var answer = try await offer(as: .random(), device, 1)
            #expect(answer == refused)
            answer = try await offer(as: user, .random(), 1)
            #expect(answer == refused)
            answer = try await offer(as: user, device, 2)
            #expect(answer == refused)
            answer = try await offer(as: user, device, 1)
            #expect(answer == [])
        }
    }

    @Test("S6, A4: a receipt of a system session lets no app past its scope")
    func scope() async throws {
        let (user, device) = (UserID.random(), DeviceID.random())
        try await lose(user, device) { log, batches in
            let scope = try Scope.app(#require(AppID(Self.app)))
            let (client, _) = try await WireClient.open(log.server, user: user, device: device, scope: scope)
            try await client.send(batches[0].request())
            #expect(try await client.appended().refused.map(\.code) == ["forbidden", "forbidden"])
            await client.close()
        }
    }

    @Test("P2, S6: an append whose answer was lost is answered with its receipt again, of what the log has")
    func repeatedReceipt() async throws {
        try await TestServer.with { server in
            let (user, device) = (UserID.random(), DeviceID.random())
            let (client, _) = try await WireClient.open(server, user: user, device: device)
            let events = Envelope.setUp(Self.app) + [.post("x", app: "com.example.nobody")]
            try await client.append(from: 1, events)
            let first = try await client.appended()
            #expect(first.receipts.count == 1)
            try await client.append(from: 1, events)
            #expect(try await client.appended() == first)
            // The same ids with another payload: the log keeps its events, and gives no receipt for these.
            var forged = events
            forged[0].payload = Envelope.setUp("b")[0].payload
            try await client.append(from: 1, forged)
            let answer = try await client.appended()
            #expect(answer.throughSequence == DeviceSequence(3))
            #expect(answer.receipts.map(\.first) == [DeviceSequence(2)])
            await client.close()
        }
    }
}
