import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import Support
import Testing

@testable import SyncServer

/// Rule S6 with the real client: the database is restored to a state that is older than what devices know.
@Suite("Healing", .fewAtATime) struct HealingTests {
    private static let app = AppID("com.example.chat")!

    private static func setUp() -> [EventDraft] {
        [
            EventDraft(.appRegistered(AppRegistered(name: "Chat", build: 1)), app: app),
            EventDraft(
                .authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)), app: app),
        ]
    }

    private static func post(_ id: String) -> EventDraft {
        EventDraft(.notificationPosted(NotificationPosted(notificationID: id, title: "T", body: "B")), app: app)
    }

    private func alert(_ id: String, _ client: SyncClient) throws -> AlertDecision? {
        let row = try client.store.row(RowKey(.alerts, app: Self.app, key: id))
        return try row.map { try AlertRow(decoding: $0.value).decision }
    }

    @Test(
        "S6, E2: after a restore every acknowledged event is back exactly once, refusals too, and nothing rings again")
    func restore() async throws {
        let log = try await RestorableLog()
        let user = UserID.random()
        let (a, b) = (try await log.device(user), try await log.device(user))
        var acknowledged: [AppendOutcome] = []
        acknowledged += try await a.with(log) { client in
            let outcomes = try await client.append(Self.setUp() + [Self.post("kept")])
            try await client.synchronize()
            return outcomes
        }
        let backup = try await log.backUp()
        for round in 0..<3 {
            acknowledged += try await a.with(log) { client in
                let outcomes = try await client.append([Self.post("a\(round)"), Self.post("a\(round)-2")])
                try await client.synchronize()
                #expect(try alert("a\(round)", client) == AlertDecision(.now, .ordinary))
                return outcomes
            }
            acknowledged += try await b.with(log) { client in
                let unknown = EventDraft(
                    .notificationRead(NotificationIDs(ids: ["x"])), app: AppID("com.example.nobody"))
                let outcomes = try await client.append([Self.post("b\(round)"), unknown])
                #expect(outcomes.map(\.isAccepted) == [true, false])
                try await client.synchronize()
                return outcomes
            }
        }
        try await log.restore(backup)
        // Both devices heal at the same time while a third one appends.
        let c = try await log.device(user)
        let port = log.server.port
        async let healedA: Void = heal(a, port, appending: "after-a")
        async let healedB: Void = heal(b, port, appending: "after-b")
        async let appended = c.with(port: port) { try await $0.append([Self.post("c0"), Self.post("c1")]) }
        _ = try await (healedA, healedB)
        acknowledged += try await appended

        try await expectWhole(log, user, acknowledged, [a, b, c])
        let (events, _) = try await log.replay(user)
        #expect(events.count { $0.encoding == LoggedEvent.healed } == 12)
        // A device offers everything it holds, including what the log still has.
        #expect(a.healings.map(\.events) == [9] && b.healings.map(\.events) == [6])
        #expect(a.incarnations == 0 && b.incarnations == 0)
        try await a.with(log) { client in
            try await client.synchronize()
            for id in ["a0", "a2-2", "b1"] { #expect(try alert(id, client) == AlertDecision(.none, .healed)) }
            for id in ["kept", "after-a", "c0"] { #expect(try alert(id, client) == AlertDecision(.now, .ordinary)) }
        }
        try await log.stop()
    }

    private func heal(_ device: HealedDevice, _ port: Int, appending id: String) async throws {
        try await device.with(port: port) { client in
            let outcomes = try await client.append([Self.post(id)])
            #expect(outcomes.count { $0.isAccepted } == 1)
            let differing = try await client.synchronize()
            #expect(differing == [])
        }
    }

    /// Expects each acknowledged event in the log once with its outcome, and on every device the rows of a replay.
    private func expectWhole(
        _ log: RestorableLog, _ user: UserID, _ acknowledged: [AppendOutcome], _ devices: [HealedDevice]
    ) async throws {
        let (events, state) = try await log.replay(user)
        for outcome in acknowledged {
            let found = events.filter { $0.id == outcome.event }
            #expect(found.count == 1, "event \(outcome.event) is \(found.count) times in the log")
            let type = outcome.isAccepted ? outcome.type : EventType.eventRefused.rawValue
            #expect(found.first?.type == type)
        }
        for device in devices {
            try await device.with(log) { client in
                #expect(try await client.synchronize() == [], "digests differ")
                try device.expectRows(client, equal: state)
            }
        }
    }

    @Test("S6: a log that is set back twice is healed twice, of what was healed before as well")
    func twice() async throws {
        let log = try await RestorableLog()
        let user = UserID.random()
        let device = try await log.device(user)
        var acknowledged = try await device.with(log) { try await $0.append(Self.setUp()) }
        let backup = try await log.backUp()
        acknowledged += try await device.with(log) { try await $0.append((0..<40).map { Self.post("n\($0)") }) }
        let copy = try await log.copy(of: backup)
        try await log.restore(backup)
        acknowledged += try await device.with(log) { try await $0.append([Self.post("between")]) }
        try await log.restore(copy)
        acknowledged += try await device.with(log) { try await $0.append([Self.post("last")]) }
        try await expectWhole(log, user, acknowledged, [device])
        #expect(device.healings.map(\.events) == [42, 43])
        try await log.stop()
    }

    @Test("S6: a device with nothing to append learns from its cursor that the log lost its tail")
    func cursorOnly() async throws {
        let log = try await RestorableLog()
        let user = UserID.random()
        let (writer, reader) = (try await log.device(user), try await log.device(user))
        let backup = try await log.backUp()
        var acknowledged = try await writer.with(log) { try await $0.append(Self.setUp() + [Self.post("n")]) }
        try await reader.with(log) { _ = try await $0.synchronize() }
        try await log.restore(backup)
        // No device has re-offered the reader's rows yet, so the reader shows what the log has.
        try await reader.with(log) { client in
            try await client.synchronize()
            #expect(try client.rows() == [])
        }
        #expect(reader.healings == [HealingReport()])
        acknowledged += try await writer.with(log) { try await $0.append([Self.post("m")]) }
        try await expectWhole(log, user, acknowledged, [writer, reader])
        try await log.stop()
    }

    @Test("S6: what an earlier incarnation of the device's store had acknowledged is given back too")
    func earlierIncarnation() async throws {
        let log = try await RestorableLog()
        let user = UserID.random()
        let device = try await log.device(user)
        let backup = try await log.backUp()
        var acknowledged = try await device.with(log) { try await $0.append(Self.setUp() + [Self.post("one")]) }
        try await device.with(log) { client in
            try await client.synchronize()
            await client.close()
            try client.store.beginIncarnation(offersHeld: false)
        }
        acknowledged += try await device.with(log) { client in
            let outcomes = try await client.append([Self.post("two")])
            try await client.synchronize()
            return outcomes
        }
        try await log.restore(backup)
        acknowledged += try await device.with(log) { try await $0.append([Self.post("three")]) }
        #expect(device.healings.map(\.events) == [4])
        try await expectWhole(log, user, acknowledged, [device])
        try await log.stop()
    }
}
