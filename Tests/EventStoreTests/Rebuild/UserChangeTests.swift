import FocusCore
import Testing

@testable import EventStore

@Suite("UserChange") struct UserChangeTests {
    private let history: RandomHistory
    private let state: UserState
    private let rows: [RowKey: Row]
    private let key: RowKey

    init() throws {
        history = try RandomHistory(seed: 3, users: 1, events: 200)
        state = history.last(of: history.users[0])
        var rows: [RowKey: Row] = [:]
        for key in state.rowKeys { rows[key] = state.row(key) }
        self.rows = rows
        key = RowKey(.authorizations, app: AppID("com.example.run"), key: "location")
    }

    private func change(_ edit: (inout [RowKey: Row]) -> Void) -> [RowKey] {
        var shown = rows
        edit(&shown)
        return UserChange(from: shown, at: state.version, to: state).rows
    }

    @Test("S8: alike rows are no change, whatever internal rows and memos say")
    func alike() {
        #expect(UserChange(from: rows, at: state.version, to: state).isEmpty)
        #expect(change { shown in for key in shown.keys { shown[key]?.memo = [1, 2, 3] } } == [])
        #expect(
            change {
                $0[RowKey(.interactions, app: key.app, key: "i/x")] = Row(
                    version: .zero, isDeleted: false, value: [1], memo: [1])
            } == [])
    }

    @Test("S8: another value, a row more, a row less, a removal more or less: each is a change")
    func different() {
        let stranger = RowKey(.workouts, app: key.app, key: "stranger")
        let live = Row(version: Version(1), isDeleted: false, value: [1], memo: [])
        let gone = Row(version: Version(1), isDeleted: true, value: [], memo: [])
        #expect(change { $0[key]?.value = [9] } == [key])
        #expect(change { $0[key] = nil } == [key])
        #expect(change { $0[key] = gone } == [key])
        #expect(change { $0[stranger] = live } == [stranger])
        // A device that has been away since before the removal still has the row.
        #expect(change { $0[stranger] = gone } == [stranger])
        #expect(change { $0[stranger] = Row(version: .zero, isDeleted: true, value: [], memo: [7]) } == [])
    }

    @Test("S8: a lower version is a change, because it would pass over a device; a higher one is none")
    func versions() {
        #expect(change { $0[key]?.version = rows[key]!.version.next } == [key])
        #expect(change { $0[key]?.version = Version(1) } == [])
    }

    @Test("S8: of a fold that nobody here knows, everything that changed since counts")
    func otherFold() throws {
        let before = history.state(of: history.users[0], at: Version(state.version.rawValue - 1))
        var shown: [RowKey: Row] = [:]
        for key in before.rowKeys { shown[key] = before.row(key) }
        let changed = UserChange(from: shown, at: before.version, to: state).rows
        let expected = state.rowKeys.filter { $0.collection.isPublic && state.row($0)!.version == state.version }
        #expect(Set(changed) == Set(expected))
    }

    @Test("S8: many rows take several events, each within its bounds")
    func bounds() throws {
        var shown = rows
        for number in 0..<2_500 {
            shown[RowKey(.workouts, app: key.app, key: "stranger-\(number)")] = Row(
                version: Version(1), isDeleted: false, value: [1], memo: [])
        }
        let change = UserChange(from: shown, at: state.version, to: state)
        let bodies = change.bodies(Generation(2))
        #expect(bodies.map(\.rows.count) == [1_000, 1_000, 500])
        #expect(bodies.flatMap(\.rows) == change.rows)
    }
}
