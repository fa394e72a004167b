import SeededNumbers
import Testing

@testable import FocusCore

/// Properties of random histories. A failure names its seed, which is the argument to run again.
@Suite("UserState: random histories") struct HistoryTests {
    /// Collections that are the same in whatever order events arrive (rule E6).
    private static let convergent: Set<RowCollection> = [
        .apps, .authorizations, .focuses, .activeFocus, .focusVisibility, .audience, .notifications, .badges, .workouts,
        .categories, .suggestions, .interactions, .notificationSettings, .deliverySchedule,
        .preferences, .preferenceDefaults,
    ]

    private func history(_ seed: UInt64, steps: Int) -> Stage {
        var random = SplitMix64(seed: seed)
        var stage = HistoryMaker.ready()
        for step in 1...steps { HistoryMaker.step(&stage, at: Double(step), using: &random) }
        return stage
    }

    @Test(
        "B1, B4, N7, F1–F4, I2–I4: after every event the rows are what the set of events says",
        arguments: 1...25 as ClosedRange<UInt64>)
    func model(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var stage = HistoryMaker.ready()
        var model = ReferenceModel()
        var seen = 0
        for step in 1...120 {
            HistoryMaker.step(&stage, at: Double(step), using: &random)
            for event in stage.events[seen...] { model.add(event) }
            seen = stage.events.count
            for app in HistoryMaker.apps { compare(stage, model, app, "seed \(seed), step \(step)") }
            for app in HistoryMaker.apps + [nil] {
                #expect(stage.suggestions(app) == model.suggestions(app), "seed \(seed), step \(step)")
            }
            #expect(stage.activeFocus == model.activeFocus()?.focusID, "seed \(seed), step \(step)")
        }
    }

    @Test(
        "Rows asked for by their keys come once each, however often a key is named, and are what each is alone",
        arguments: 1...5 as ClosedRange<UInt64>)
    func rowsOfKeys(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let stage = history(seed, steps: 150)
        // Some have a row, some only a memo, and one has neither.
        let keys = stage.state.rowKeys + [RowKey(.notifications, app: .chat, key: "never there")]
        #expect(Set(keys.map { stage.state.row($0)?.version == .zero }) == [false, true])
        let named = (keys + keys.filter { _ in Bool.random(using: &random) }).shuffled(using: &random)
        var found: [RowKey: Row?] = [:]
        stage.state.forEachRow(of: named) { key, row, appearedAt in
            #expect(found.updateValue(row, forKey: key) == nil, "\(key) came twice")
            #expect(appearedAt.map { $0 > .zero && $0 <= row?.version ?? .zero } ?? true, "\(key)")
        }
        #expect(found.count == keys.count && found.allSatisfy { $0.value == stage.state.row($0.key) })
    }

    private func compare(_ stage: Stage, _ model: ReferenceModel, _ app: AppID, _ place: Comment) {
        let listed = model.notifications(app)
        let unread = listed.values.count { $0.unread }
        SettingsChecks.compare(stage, model, app, unread: unread, place)
        #expect(stage.visibility(app)?.isFocused == model.visibility(app), place)
        for number in 0..<6 {
            let row = stage.notification("n\(number)", app)
            let expected = listed["n\(number)"]
            #expect(row?.unread == expected?.unread, place)
            #expect(row?.level == expected?.post.level, place)
            if expected?.post.interactionID == nil {
                let title = expected.map { $0.post.title ?? model.registration(app)?.name ?? "" }
                #expect(row?.title == title, place)
            }
            #expect(row?.hiddenBody == expected.flatMap { model.placeholder($0.post.category, app) }, place)
            // Only listed notifications have alerts, and only unread ones have held alerts.
            if let alert = stage.alert("n\(number)", app) {
                #expect(row != nil && (row?.unread == true || !alert.decision.alert.isHeld), place)
            }
        }
    }

    @Test("E6: any order of arrival gives the same convergent rows", arguments: 1...40 as ClosedRange<UInt64>)
    func convergence(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let stage = history(seed, steps: 150)
        let accepted = stage.events.filter { event in
            if case .eventRefused = event.body { false } else { event.device != .server }
        }
        let expected = try arrive(accepted)
        for _ in 0..<4 {
            let rows = try arrive(accepted.inAnotherOrder(using: &random))
            #expect(rows.keys.sorted() == expected.keys.sorted(), "seed \(seed)")
            for (key, value) in expected where rows[key] != value { Issue.record("seed \(seed): \(key) differs") }
        }
    }

    /// The convergent rows after all events have arrived, one each second from the last event's time on, and due timers
    /// have fired.
    private func arrive(_ events: [Event]) throws -> [RowKey: [UInt8]] {
        var state = UserState(user: .ada)
        var sequences: [DeviceID: Int64] = [:]
        func append(_ event: Event, recorded: Double) throws {
            var event = event
            sequences[event.device, default: 0] += 1
            event.sequence = DeviceSequence(sequences[event.device]!)
            event.version = state.version.next
            event.recordedAt = .at(recorded)
            _ = try state.apply(event)
        }
        func fire(at second: Double) throws {
            let before = state.version.rawValue
            while let due = state.dueExpiration, due.at <= .at(second) {
                try #require(state.version.rawValue - before < 1_000, "what is due stays due")
                let event = Event(
                    version: .zero, device: .server, incarnation: Incarnation(0), sequence: .zero,
                    id: EventID(Stage.uuid(1_000_000 + Int(state.version.rawValue))), app: nil, occurredAt: due.at,
                    recordedAt: due.at,
                    body: .focusExpired(due.event))
                try append(event, recorded: second)
            }
        }
        for (number, event) in events.enumerated() {
            try append(event, recorded: Double(number))
            try fire(at: Double(number))
        }
        try fire(at: 10_000)
        return state.allRows.filter { Self.convergent.contains($0.key.collection) && !$0.value.isDeleted }
            .mapValues { $0.value.isEmpty ? $0.memoAlone : $0.value }
            .reduce(into: [:]) { $0[$1.key] = Self.withoutCopies($1.key, $1.value) }
    }

    /// Removes the fields that rule N5 copies: they are decided once, in log order (rule E6).
    private static func withoutCopies(_ key: RowKey, _ value: [UInt8]) -> [UInt8] {
        guard key.collection == .notifications, var row = try? NotificationRow(decoding: value),
            row.interactionID != nil
        else { return value }
        (row.title, row.subtitle, row.avatar) = ("", nil, nil)
        return row.encoded
    }

    @Test("A state reloaded from its rows behaves the same for ever after", arguments: 1...25 as ClosedRange<UInt64>)
    func reload(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let stage = history(seed, steps: 200)
        var whole = UserState(user: .ada)
        var reloaded = whole
        for event in stage.events {
            let touched = Set(try whole.apply(event))
            #expect(Set(try reloaded.apply(event)) == touched, "seed \(seed), version \(event.version)")
            if Int.random(in: 0..<12, using: &random) == 0 {
                reloaded = try UserState(user: .ada, version: reloaded.version, rows: reloaded.allRows)
            }
        }
        #expect(whole.allRows == reloaded.allRows, "seed \(seed)")
        #expect(whole.lastEvent == reloaded.lastEvent && whole.horizon == reloaded.horizon)
    }

    @Test("apply names every row whose value or memo changed", arguments: 1...10 as ClosedRange<UInt64>)
    func touched(_ seed: UInt64) throws {
        let stage = history(seed, steps: 150)
        var state = UserState(user: .ada)
        var before: [RowKey: Row] = [:]
        for event in stage.events {
            let touched = Set(try state.apply(event))
            let after = state.allRows
            let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
            #expect(changed.isSubset(of: touched), "seed \(seed), \(event.version): \(changed.subtracting(touched))")
            before = after
        }
    }
}
