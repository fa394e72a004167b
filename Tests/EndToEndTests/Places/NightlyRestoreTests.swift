import EventStore
import FocusCore
import FocusSyncClient
import Foundation
import NIOConcurrencyHelpers
import SeededNumbers
import Support
import Testing

@testable import SyncServer

/// Rules P6 and P10 over a long life: a device whose store is restored every night.
@Suite("Nightly restores", .fewAtATime) struct NightlyRestoreTests {
    /// `FOCUS_ROUNDS=365` for a year; `ops/test --thorough` sets 200.
    private static let nights = min(365, ProcessInfo.processInfo.environment["FOCUS_ROUNDS"].flatMap(Int.init) ?? 12)

    @Test(
        "P6, P10: a store set back every night: each event is in the log once, in the order in which it was made",
        arguments: Seeds.fresh())
    func everyNight(seed: UInt64) async throws {
        print("FOCUS_SEED=\(seed) nights=\(Self.nights)")
        var random = SplitMix64(seed: seed)
        let clock = try TestClock("2026-01-01T03:00:00Z")
        let server = try await TestServer.start(clock: clock.clock)
        let phone = try RestoredDevice(server, clock)
        try await phone.make(3)
        try await phone.send()
        // The oldest copy has two unanswered events, which the log then gets.
        try await phone.make(2)
        let oldest = try phone.copy("oldest")
        try await phone.send()
        for night in 1...Self.nights {
            try phone.wait(milliseconds: 24 * 3_600_000)
            // If the store has unanswered events, its incarnation ends when it is restored.
            switch Int.random(in: 0..<3, using: &random) {
            case 0: try await phone.make(Int.random(in: 1...3, using: &random))
            case 1: try await phone.sendAndLeave(Int.random(in: 1...3, using: &random))
            default: break
            }
            let copy = try phone.copy("copy")
            try await phone.live(Int.random(in: 1...3, using: &random))
            try phone.restore(copy)
            if Bool.random(using: &random) { try await phone.sendAndLeave(1) }
            try await phone.live(Int.random(in: 1...3, using: &random))
            // If the store has no unanswered events, its incarnation stays open.
            let answered = try phone.copy("copy")
            try await phone.live(1)
            try phone.restore(answered)
            try await phone.beginAnew()
            try await phone.live(1)
            // In one night the store is restored more often than a device may begin incarnations in a day.
            guard night == Self.nights / 2 else { continue }
            for _ in 0..<17 {
                try phone.restore(answered)
                try await phone.live(1)
            }
            #expect(phone.putOff == 1, "seed \(seed)")
        }
        // With each new incarnation the store ends all remembered ones again.
        let ended = try phone.endedIncarnations()
        #expect(ended >= min(Self.nights, 256) && ended <= DeviceStore.endedLimit, "seed \(seed)")
        try phone.restore(oldest)
        try await phone.live(3)
        let last = try #require(phone.reports.last)
        #expect(last.held == 2 && last.moved == 3, "seed \(seed)")

        let logged = try await onThread { [user = phone.user] in try server.events(of: user) }
        #expect(logged.filter { $0.device != .server }.map(\.id) == phone.made, "seed \(seed)")
        #expect(logged.allSatisfy { $0.type != EventType.eventRefused.rawValue }, "seed \(seed)")
        let silent = phone.made.count { !phone.answered.contains($0) }
        #expect(silent == 0, "seed \(seed)")
        var mostOpen = 0
        var (began, open): (Set<Incarnation>, Set<Incarnation>) = ([], [])
        for event in logged where event.device == .server {
            switch try event.decoded().body {
            case .deviceIncarnationBegan(let body):
                #expect(began.insert(body.incarnation).inserted, "seed \(seed)")
                open.insert(body.incarnation)
                #expect(open.count <= 256, "seed \(seed)")
                mostOpen = max(mostOpen, open.count)
            case .deviceIncarnationEnded(let body): open.remove(body.incarnation)
            default: continue
            }
        }
        print("\(phone.made.count) events in \(began.count) incarnations, \(mostOpen) open at once")
        #expect(began.count > 2 * Self.nights, "seed \(seed)")
        if Self.nights > 256 { #expect(mostOpen == 256, "seed \(seed)") }
        try await server.server.stop()
        phone.remove()
    }
}

/// A device with the client library, whose store is copied and restored between its connections.
private final class RestoredDevice {
    let user = UserID.random()
    private let device = DeviceID.random()
    private let server: TestServer
    private let clock: TestClock
    private let state: String
    private(set) var made: [EventID] = []
    /// How often the server told the device to wait.
    private(set) var putOff = 0
    private let heard = NIOLockedValueBox(Heard())

    private struct Heard {
        var reports: [RecallReport] = []
        var accepted: Set<EventID> = []
        var isConnected = false
        var isNew = false
        var delay: Int64?
    }

    init(_ server: TestServer, _ clock: TestClock) throws {
        (self.server, self.clock) = (server, clock)
        state = try TestDirectory.make()
    }

    var reports: [RecallReport] { heard.withLockedValue { $0.reports } }
    /// Events that were answered at least once, on whichever connection.
    var answered: Set<EventID> { heard.withLockedValue { $0.accepted } }

    func remove() { try? FileManager.default.removeItem(atPath: state) }

    // MARK: Backups

    func copy(_ name: String) throws -> String {
        let copy = "\(state)/\(name)"
        try? FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: state + "/device", toPath: copy)
        return copy
    }

    func restore(_ copy: String) throws {
        try FileManager.default.removeItem(atPath: state + "/device")
        try FileManager.default.copyItem(atPath: copy, toPath: state + "/device")
    }

    func endedIncarnations() throws -> Int {
        let store = try DeviceStore(directory: state + "/device")
        defer { try? store.close() }
        return try store.endedIncarnations().count
    }

    // MARK: Life

    func wait(milliseconds: Int64) throws {
        // Moved on to the next whole second at least, because the clock is set as text without fractions.
        try clock.move(to: clock.now.adding(microseconds: milliseconds * 1_000 + 1_000_000).iso)
    }

    /// Queues this many events and sends all that is queued.
    func live(_ count: Int) async throws {
        try await make(count)
        try await send()
    }

    /// Queues events durably without sending them.
    func make(_ count: Int) async throws {
        try await connected { client in try await queue(count, client) }
    }

    private func queue(_ count: Int, _ client: SyncClient) async throws {
        let drafts = (made.count..<made.count + count).map { number in
            let app = AppID("com.example.app")
            guard number > 0 else { return EventDraft(.appRegistered(AppRegistered(name: "App", build: 1)), app: app) }
            let change = PreferenceChanged(key: "k\(number % 50)", value: .integer(Int64(number)))
            return EventDraft(.preferenceChanged(change), app: app)
        }
        made += try await client.enqueue(drafts).map(\.envelope.id)
    }

    /// Continues from the present state and leaves a moment later: only the log knows what the server has received.
    func sendAndLeave(_ count: Int) async throws {
        try await connected { client in
            try await queue(count, client)
            await client.start()
            try await awaiting("it is welcome") { heard.withLockedValue { $0.isConnected } }
        }
    }

    /// Sends until every queued event is answered; if the server tells the device to wait, it tries again afterwards.
    func send() async throws {
        for _ in 0..<20 where try await !sendOrWait() { return }
        throw NeverHappened(description: "the device is told to wait again and again")
    }

    private func sendOrWait() async throws -> Bool {
        heard.withLockedValue { $0.delay = nil }
        return try await connected { client in
            let submission = try await client.submitQueued()
            let done = NIOLockedValueBox(false)
            let outcomes = Task {
                defer { done.withLockedValue { $0 = true } }
                return try await submission.outcomes()
            }
            // The device first ends up to 256 incarnations again, one after the other: minutes on a busy machine.
            try await awaiting("it is answered, or told to wait", within: .seconds(900)) {
                done.withLockedValue { $0 } || heard.withLockedValue { $0.delay != nil }
            }
            if let delay = heard.withLockedValue({ $0.delay }) {
                await client.close()
                _ = await outcomes.result
                putOff += 1
                try wait(milliseconds: delay)
                return true
            }
            for outcome in try await outcomes.value {
                #expect(outcome.isAccepted)
            }
            #expect(try !client.store.hasQueued && !client.store.isRecalling)
            return false
        }
    }

    /// With nothing unanswered, the device sees from the log that its store was restored.
    func beginAnew() async throws {
        heard.withLockedValue { $0.isNew = false }
        try await connected { client in
            await client.start()
            try await awaiting("a new incarnation") { heard.withLockedValue { $0.isNew } }
        }
    }

    private func connected<T>(_ body: (SyncClient) async throws -> T) async throws -> T {
        let token = try TestServer.token(user, device, now: clock.now)
        var configuration = SyncClientConfiguration.patient(port: server.port, token: token)
        configuration.clock = { [clock] in clock.now }
        configuration.backoff = ReconnectBackoff(ceiling: 5...50)
        heard.withLockedValue { $0.isConnected = false }
        configuration.onUpdate = { [heard] update in
            heard.withLockedValue { heard in
                switch update {
                case .connected: heard.isConnected = true
                case .acknowledged(let outcomes):
                    for outcome in outcomes where outcome.isAccepted { heard.accepted.insert(outcome.event) }
                case .recalled(let report): heard.reports.append(report)
                case .newIncarnation: heard.isNew = true
                case .appendsDelayed(let error, let milliseconds) where error.code == .tooMany:
                    heard.delay = milliseconds
                default: break
                }
            }
        }
        let client = try SyncClient(
            configuration: configuration, store: DeviceStore(directory: state + "/device"))
        let result = try await body(client)
        await client.close()
        try client.store.close()
        return result
    }
}
