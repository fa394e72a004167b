import Foundation
import SeededNumbers
import Testing

@testable import FocusCore

@Suite("Subscription") struct SubscriptionTests {
    private let log = LogID(Stage.uuid(7))
    private let view = View(scope: .system, device: .phone, deviceClass: .phone)

    /// The state of a device that follows Schema/README.md.
    private struct Held {
        var rows: [RowKey: [UInt8]] = [:]
        var cursor: Cursor?
        var snapshots: [[RowCollection]] = []
        /// The number of rows received, by collection.
        var received: [RowCollection: Int] = [:]
        private var staged: [DeltaRow] = []

        mutating func apply(_ message: ServerMessage) {
            switch message {
            case .snapshotBegin(_, let collections):
                staged = []
                snapshots.append(collections)
            case .deltaBegin: staged = []
            case .snapshotRows(let rows), .deltaRows(let rows):
                staged += rows
                count(rows)
            case .snapshotEnd(let cursor):
                let replaced = snapshots.last ?? []
                rows = rows.filter { !replaced.isEmpty && !replaced.contains($0.key.collection) }
                put(staged, cursor)
            case .deltaEnd(let cursor): put(staged, cursor)
            case .delta(_, let rows, let cursor):
                count(rows)
                put(rows, cursor)
            case .checkpoint(let cursor, _): self.cursor = cursor
            case .welcome, .appended, .recalled, .ping, .pong, .error, .goAway, .tokenExpiry, .fetched, .peerStatuses,
                .unknown:
                break
            }
        }

        private mutating func count(_ rows: [DeltaRow]) {
            for row in rows { received[row.key.collection, default: 0] += 1 }
        }

        private mutating func put(_ changed: [DeltaRow], _ cursor: Cursor) {
            for row in changed { rows[row.key] = row.value }
            self.cursor = cursor
        }
    }

    /// Delivers the messages of one page.
    private func turn(_ subscription: inout Subscription, _ state: UserState, _ held: inout Held) {
        for message in subscription.advance(state) { held.apply(message) }
    }

    private func catchUp(_ subscription: inout Subscription, _ state: inout UserState, _ held: inout Held) {
        for _ in 0..<10_000 where subscription.liveVersion != state.version { turn(&subscription, state, &held) }
        #expect(subscription.liveVersion == state.version)
        if let checkpoint = subscription.checkpoint(&state) { held.apply(checkpoint) }
    }

    private func shown(_ state: UserState) -> [RowKey: [UInt8]] {
        let page = state.rows(after: .snapshot(of: state.version), in: view, limitBytes: .max)
        return Dictionary(uniqueKeysWithValues: page.rows.compactMap { row in row.value.map { (row.key, $0) } })
    }

    @Test("S9: after Resync only rows of the collections asked for travel, and the device is whole again")
    func onlyThese() {
        var stage = Stage.ready()
        for number in 0..<20 { stage.post("n\(number)", at: 1) }
        var (subscription, held) = (Subscription(view: view, log: log, resumingAt: nil), Held())
        catchUp(&subscription, &stage.state, &held)
        held.rows[RowKey(.badges, app: .chat)] = [0xFF]
        held.rows[RowKey(.badges, app: .mail)] = [0xFF]
        let cursor = held.cursor
        held.received = [:]
        subscription.resync([.badges])
        #expect(subscription.liveVersion == nil && subscription.checkpoint(&stage.state) == nil)
        catchUp(&subscription, &stage.state, &held)
        #expect(held.rows == shown(stage.state))
        #expect(held.received == [.badges: 1])
        #expect(held.snapshots == [[], [.badges]] && held.cursor == cursor)
    }

    @Test("S9: what a device may not see is not sent; a checkpoint says what it sees")
    func notHeld() {
        var stage = Stage.ready()
        var (subscription, held) = (Subscription(view: view, log: log, resumingAt: nil), Held())
        catchUp(&subscription, &stage.state, &held)
        #expect(!subscription.owesCheckpoint)
        subscription.resync([.stream, .interactions])
        #expect(subscription.owesCheckpoint && subscription.advance(stage.state).isEmpty)
    }

    @Test("S9: without collections everything comes")
    func everything() {
        var stage = Stage.ready()
        var (subscription, held) = (Subscription(view: view, log: log, resumingAt: nil), Held())
        catchUp(&subscription, &stage.state, &held)
        held.rows[RowKey(.badges, app: .mail)] = [0xFF]
        subscription.resync([])
        catchUp(&subscription, &stage.state, &held)
        #expect(held.rows == shown(stage.state) && held.snapshots == [[], []])
    }

    @Test(
        "S9: whatever is damaged and happens meanwhile, at any page, the device ends up whole",
        arguments: 1...20 as ClosedRange<UInt64>)
    func random(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var stage = HistoryMaker.ready()
        // Large rows, so that there are several pages.
        for number in 0..<60 {
            let body = String(repeating: "x", count: 3_000)
            stage.send(
                .notificationPosted(NotificationPosted(notificationID: "b\(number)", body: body)), app: .chat, at: 0)
        }
        var (subscription, held) = (Subscription(view: view, log: log, resumingAt: nil), Held())
        for step in 0..<200 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                let asked = held.rows.keys.sorted().randomElement(using: &random).map(\.collection) ?? .badges
                // A device asks only after it has compared a checkpoint, so never while a delta is under way.
                guard subscription.liveVersion == stage.state.version else { break }
                for key in held.rows.keys where key.collection == asked { held.rows[key] = [0xFF] }
                held.rows[RowKey(asked, app: .mail, key: "nobody's")] = [0xFF]
                subscription.resync([asked])
            case 1, 2: HistoryMaker.step(&stage, at: Double(step), using: &random)
            case 3:
                stage.remove("b\(Int.random(in: 0..<60, using: &random))", at: Double(step))
            default: turn(&subscription, stage.state, &held)
            }
        }
        catchUp(&subscription, &stage.state, &held)
        #expect(held.rows == shown(stage.state), "seed \(seed)")
        #expect(held.cursor?.version == stage.state.version)
        #expect(held.snapshots.count > 1, "seed \(seed) says little")
    }
}
