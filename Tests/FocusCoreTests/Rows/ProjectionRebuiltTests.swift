import SeededNumbers
import Testing

@testable import FocusCore

@Suite("projection.rebuilt") struct ProjectionRebuiltTests {
    private func history(_ seed: UInt64) -> Stage {
        var random = SplitMix64(seed: seed)
        var stage = HistoryMaker.ready()
        for step in 1...100 { HistoryMaker.step(&stage, at: Double(step), using: &random) }
        return stage
    }

    private func rebuilt(_ state: UserState, _ rows: [RowKey], horizon: Version = .zero) throws -> UserState {
        var state = state
        let event = Event(
            version: state.version.next, device: .server, incarnation: Incarnation(0),
            sequence: state.lastSequence(of: .server, incarnation: Incarnation(0)).next,
            id: EventID(Stage.uuid(77)), app: nil, occurredAt: .at(1_000), recordedAt: .at(1_000),
            body: .projectionRebuilt(ProjectionRebuilt(generation: 2, rows: rows, horizon: horizon)))
        let touched = try state.apply(event)
        #expect(Set(touched).isSuperset(of: rows.filter(\.collection.isPublic)))
        return state
    }

    private func rows(_ state: UserState) -> [RowKey: Row] {
        var rows: [RowKey: Row] = [:]
        for key in state.rowKeys { rows[key] = state.row(key) }
        return rows
    }

    @Test("S8: it bumps exactly the rows that it names; digests stay", arguments: 1...10 as ClosedRange<UInt64>)
    func bumps(_ seed: UInt64) throws {
        let before = history(seed).state
        var random = SplitMix64(seed: seed)
        let named = before.rowKeys.filter { $0.collection.isPublic && Int.random(in: 0..<3, using: &random) == 0 }
            .filter { before.row($0).map { !$0.isDeleted || $0.version > .zero } ?? false }
        var after = try rebuilt(before, named)
        let view = View(scope: .system, device: .phone, deviceClass: .phone)
        let page = after.rows(after: SyncPosition(version: before.version), in: view, limitBytes: .max)
        let seen = named.filter { view.includes($0) }
        #expect(Set(page.rows.map(\.key)) == Set(seen), "seed \(seed)")
        let shown = before.rows(after: .snapshot(of: before.version), in: view, limitBytes: .max)
        let values = Dictionary(uniqueKeysWithValues: shown.rows.map { ($0.key, $0.value) })
        for row in page.rows { #expect(row.value == values[row.key, default: nil], "seed \(seed)") }
        var copy = before
        #expect(after.digests(in: view) == copy.digests(in: view))
    }

    @Test("S8: of rows that this fold does not make it says that they are gone, and the state reloads as it is")
    func gone() throws {
        let before = history(4).state
        let app = try #require(AppID("com.example.stranger"))
        // A collection with a single row for each user has no unknown rows.
        let strangers = RowCollection.allCases.filter { $0.isPublic && $0 != .activeFocus && $0 != .deliverySchedule }
            .map { RowKey($0, app: app, key: $0.traits.isNeverRemoved ? "" : "x/1") }
        var after = try rebuilt(before, strangers + [RowKey(.devices, key: "x")])
        for key in strangers {
            #expect(after.row(key)?.isDeleted == true && after.row(key)?.version == after.version, "\(key)")
        }
        #expect(after.row(RowKey(.devices, key: "x")) == nil)
        var again = try UserState(user: after.user, version: after.version, rows: rows(after))
        #expect(rows(again) == rows(after))
        // The keys are named a second time: the loaded state and the folded one stay equal.
        after = try rebuilt(after, strangers)
        again = try rebuilt(again, strangers)
        #expect(rows(again) == rows(after))
        #expect(after.shared.store.tombstoneCount == again.shared.store.tombstoneCount)
    }

    @Test("S5, S8: traces that were dropped before the rebuild stay dropped: cursors below get a snapshot")
    func horizon() throws {
        let before = history(2).state
        #expect(try rebuilt(before, [], horizon: Version(40)).horizon == Version(40))
        #expect(try rebuilt(before, [], horizon: .init(.max)).horizon == before.version.next)
        let memo = try #require(try rebuilt(before, [], horizon: Version(40)).row(RowKey(.stream))).memo
        #expect(UserState.horizon(inStreamMemo: memo) == Version(40))
        #expect(UserState.horizon(inStreamMemo: [0xFF]) == .zero)
    }

    @Test("E2, S8: which refusals stay does not depend on whether the state was loaded after a rebuild named some")
    func refusals() throws {
        var state = UserState(user: UserID(Stage.uuid(1)))
        func refuse(_ number: Int, _ state: inout UserState) throws {
            let event = Event(
                version: state.version.next, device: .phone, incarnation: Incarnation(1),
                sequence: DeviceSequence(Int64(number)), id: EventID(Stage.uuid(number)), app: nil, occurredAt: .at(1),
                recordedAt: .at(1), body: .eventRefused(EventRefused(type: "", code: "app_unknown", message: "")))
            _ = try state.apply(event)
        }
        for number in 1...EventLimits.outcomesPerDevice { try refuse(number, &state) }
        // In another order than that of their sequences: keys are texts.
        let named = [2, 10, 3].map { RowKey(.refusals, key: "\(DeviceID.phone)/1/\($0)") }
        var folded = try rebuilt(state, named)
        var loaded = try UserState(user: folded.user, version: folded.version, rows: rows(folded))
        for number in 1...EventLimits.outcomesPerDevice {
            try refuse(EventLimits.outcomesPerDevice + number, &folded)
            try refuse(EventLimits.outcomesPerDevice + number, &loaded)
            try #require(rows(folded) == rows(loaded), "after \(number)")
        }
    }

    @Test("S8: no device may append it")
    func forbidden() {
        let stage = history(1)
        let body = EventBody.projectionRebuilt(ProjectionRebuilt(generation: 1, rows: []))
        let event = Event(
            version: stage.state.version.next, device: .phone, incarnation: Incarnation(1), sequence: DeviceSequence(1),
            id: EventID(Stage.uuid(9)), app: nil, occurredAt: .at(1), recordedAt: .at(1), body: body)
        #expect(stage.state.validate(event, scope: .system)?.code == .forbidden)
        #expect(stage.state.validate(event, scope: .app(HistoryMaker.apps[0]))?.code == .forbidden)
    }

    @Test("R2: other rules keep other points, and say so with their own fold version")
    func rules() throws {
        let strict = FoldRules(version: 1_002, maximumHorizontalAccuracy: 20)
        let point = RoutePoint(time: .at(0), latitude: 47, longitude: 8, altitude: 400, horizontalAccuracy: 20.5)
        #expect(RouteFilter.reasonToDrop(point) == nil)
        #expect(RouteFilter.reasonToDrop(point, strict) == .inaccurate)
        #expect(FoldRules.current.version == FocusCore.foldVersion)
    }
}
