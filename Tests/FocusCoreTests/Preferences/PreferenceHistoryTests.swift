import SeededNumbers
import Testing

@testable import FocusCore

/// Random histories of preferences against an independent statement of rule D1, computed anew from all events after
/// every event. A failure names its seed.
@Suite("UserState: random preferences") struct PreferenceHistoryTests {
    private static let keys = ["a", "b", "\u{E9}", "e\u{301}"]
    private static let values: [PropertyValue] = [
        .integer(1), .real(1), .bool(true), .real(-0.0), .real(0), .real(.nan), .array([.real(-.nan)]),
        .array([.real(.nan)]),
    ]

    private struct Written {
        var event: Event
        var stamp: Stamp
    }

    /// Rule D1 taken literally.
    private func effective(_ key: String, _ app: AppID, _ history: [Written]) -> PropertyValue? {
        func same(_ other: String) -> Bool { Array(other.utf8) == Array(key.utf8) }
        var set: (stamp: Stamp, value: PropertyValue?)?
        var registered: (build: Int64, stamp: Stamp, value: PropertyValue?)?
        for written in history where written.event.app == app {
            switch written.event.body {
            case .preferenceChanged(let body) where same(body.key):
                if set == nil || written.stamp > set!.stamp { set = (written.stamp, body.value) }
            case .preferenceReset(let body) where same(body.key):
                if set == nil || written.stamp > set!.stamp { set = (written.stamp, nil) }
            case .preferencesRegistered(let body):
                if registered == nil || (body.build, written.stamp) > (registered!.build, registered!.stamp) {
                    registered = (body.build, written.stamp, body.defaults.entries.first { same($0.key) }?.value)
                }
            default: break
            }
        }
        return set?.value ?? registered?.value
    }

    private func body(using random: inout SplitMix64) -> EventBody {
        let key = Self.keys.randomElement(using: &random)!
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1:
            let entries = Self.keys.filter { _ in Bool.random(using: &random) }.map {
                PropertyDictionary.Entry($0, Self.values.randomElement(using: &random)!)
            }
            let build = Int64.random(in: 1...3, using: &random)
            return .preferencesRegistered(
                PreferencesRegistered(build: build, defaults: PropertyDictionary(entries) ?? .empty))
        case 2, 3: return .preferenceReset(PreferenceReset(key: key))
        default:
            return .preferenceChanged(
                PreferenceChanged(key: key, value: Self.values.randomElement(using: &random)!))
        }
    }

    private func step(_ stage: inout Stage, at second: Double, using random: inout SplitMix64) {
        let occurred = second + Double(Int.random(in: -15...0, using: &random))
        stage.send(
            body(using: &random), app: HistoryMaker.apps.randomElement(using: &random)!,
            from: HistoryMaker.devices.randomElement(using: &random)!, at: occurred, recorded: second)
    }

    private func history(of events: [Event]) -> [Written] {
        var greatest: [DeviceID: Timestamp] = [:]
        return events.map { event in
            let time = max(event.occurredAt, greatest[event.device] ?? event.occurredAt)
            greatest[event.device] = time
            return Written(event: event, stamp: Stamp(time: time, device: event.device, sequence: event.sequence))
        }
    }

    @Test(
        "D1, D3: after every event rows are what the events say, and a version moves when the effective value does",
        arguments: 1...30 as ClosedRange<UInt64>)
    func model(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var stage = Stage.ready(HistoryMaker.apps)
        var before: [RowKey: PropertyValue] = [:]
        for number in 1...100 {
            step(&stage, at: Double(number), using: &random)
            let written = history(of: stage.events)
            for app in HistoryMaker.apps {
                for key in Self.keys {
                    let rowKey = RowKey(.preferences, app: app, key: key)
                    let expected = effective(key, app, written)
                    #expect(stage.preference(key, app) == expected, "seed \(seed), \(number): \(rowKey)")
                    let moved = stage.state.row(rowKey)?.version == stage.state.version
                    #expect(moved == (before[rowKey] != expected), "seed \(seed), \(number): \(rowKey)")
                    before[rowKey] = expected
                }
            }
        }
    }

    @Test(
        "E6: preferences come out the same in any order of arrival, memos, digests and reloads included",
        arguments: 1...30 as ClosedRange<UInt64>)
    func convergence(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var stage = Stage.ready(HistoryMaker.apps)
        for number in 1...80 { step(&stage, at: Double(number), using: &random) }
        let expected = try arrive(stage.events, using: &random)
        for _ in 0..<4 {
            let other = try arrive(stage.events.inAnotherOrder(using: &random), using: &random)
            #expect(other.rows == expected.rows && other.digest == expected.digest, "seed \(seed)")
        }
    }

    /// Folds the events and reloads the state now and then, which must change nothing.
    private func arrive(
        _ events: [Event], using random: inout SplitMix64
    ) throws -> (rows: [RowKey: [[UInt8]]], digest: CollectionDigest?) {
        var state = UserState(user: .ada)
        for event in events {
            var event = event
            event.version = state.version.next
            _ = try state.apply(event)
            if Int.random(in: 0..<10, using: &random) == 0 {
                let rows = state.allRows
                state = try UserState(user: .ada, version: state.version, rows: rows)
                #expect(state.allRows == rows)
            }
        }
        let rows = state.allRows.filter {
            $0.key.collection == .preferences || $0.key.collection == .preferenceDefaults
        }
        let view = View(scope: .system, device: .phone, deviceClass: .phone)
        return (
            rows.mapValues { [$0.value, $0.memoAlone] }.filter { $0.value != [[], []] },
            state.digests(in: view).first { $0.collection == .preferences }
        )
    }

    @Test("A damaged row of preferences throws or loads to what it says, never to something else")
    func damage() throws {
        var random = SplitMix64(seed: 3)
        var stage = Stage.ready()
        stage.defaults(["a": .integer(1), "b": .integer(2)], at: 1)
        stage.set("b", .integer(3), at: 2)
        stage.reset("c", at: 2)
        let rows = stage.rows
        let own = rows.keys.filter { $0.collection == .preferences || $0.collection == .preferenceDefaults }.sorted()
        #expect(own.count == 4)
        // Damage: a default without its row, a row without its default, a set value without a row.
        for key in own where key.key != "c" {
            var damaged = rows
            damaged[key] = nil
            #expect(throws: FoldError.self, "\(key)") {
                try UserState(user: .ada, version: stage.state.version, rows: damaged)
            }
        }
        var (refused, different) = (0, 0)
        for _ in 0..<300 {
            var damaged = rows
            let key = own.randomElement(using: &random)!
            var row = try #require(rows[key])
            if Bool.random(using: &random), !row.value.isEmpty {
                row.value[Int.random(in: 0..<row.value.count, using: &random)] ^= UInt8.random(
                    in: 1...255, using: &random)
            } else if !row.memo.isEmpty {
                row.memo[Int.random(in: 0..<row.memo.count, using: &random)] ^= UInt8.random(
                    in: 1...255, using: &random)
            }
            damaged[key] = row
            guard let loaded = try? UserState(user: .ada, version: stage.state.version, rows: damaged) else {
                refused += 1
                continue
            }
            // What devices see is what the rows say; a memo that decodes is written anew.
            let isAsSaid = loaded.allRows.mapValues(\.value) == damaged.mapValues(\.value)
            #expect(isAsSaid, "\(key)")
            let again = try UserState(user: .ada, version: loaded.version, rows: loaded.allRows)
            #expect(again.allRows == loaded.allRows, "\(key)")
            different += damaged == rows ? 0 : 1
        }
        #expect(refused > 0 && different > 0)
    }
}
