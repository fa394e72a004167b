import Foundation
import SeededNumbers
import Testing

@testable import FocusCore

@Suite("RowChanges")
struct RowChangesTests {
    private static let app = AppID("com.example.chat")

    private static func entry(_ key: String) -> RowStore.Entry {
        RowStore.Entry(key: RowKey(.notifications, app: app, key: key), version: Version(1), appearedAt: Version(1))
    }

    /// A row and its changes.
    private struct Expected: Hashable {
        var key: RowKey
        var changes: [RowChanges.Change]

        init(_ key: RowKey, _ changes: [(Int64, Bool)]) {
            self.key = key
            self.changes = changes.map { .init(version: Version($0.0), isDeleted: $0.1) }
        }

        init(_ all: RowChanges, _ row: RowChanges.Row) {
            (key, changes) = (row.key, Array(all.list[row.changes]))
        }
    }

    private static func row(_ key: String, _ changes: [(Int64, Bool)]) -> Expected {
        Expected(RowKey(.notifications, app: app, key: key), changes)
    }

    private static func rows(_ journal: RowJournal, _ entries: [RowStore.Entry]) -> [Expected] {
        let all = journal.changes(in: entries, through: Version(9), .none)
        return all.rows.map { Expected(all, $0) }
    }

    @Test("A number that another row got stands for each row while it had it")
    func reusedNumbers() {
        var journal = RowJournal(after: .zero, .none)
        journal.release(0, of: Self.entry("before").key)
        journal.record(0, isDeleted: false, at: Version(1))
        journal.record(1, isDeleted: false, at: Version(2))
        journal.record(0, isDeleted: true, at: Version(3))
        journal.release(0, of: Self.entry("gone").key)
        journal.record(0, isDeleted: false, at: Version(4))
        journal.release(0, of: Self.entry("gone too").key)
        journal.release(0, of: Self.entry("never changed").key)
        journal.record(0, isDeleted: false, at: Version(5))
        #expect(
            Self.rows(journal, [Self.entry("now"), Self.entry("other")]) == [
                Self.row("gone", [(1, false), (3, true)]), Self.row("other", [(2, false)]),
                Self.row("gone too", [(4, false)]), Self.row("now", [(5, false)]),
            ])
    }

    @Test("What an event does to a row in several steps is one change, which says how the row came out")
    func oneEvent() {
        var journal = RowJournal(after: .zero, .none)
        for isDeleted in [false, true, false] { journal.record(0, isDeleted: isDeleted, at: Version(7)) }
        journal.record(0, isDeleted: true, at: Version(8))
        #expect(journal.count == 4)
        #expect(Self.rows(journal, [Self.entry("a")]) == [Self.row("a", [(7, false), (8, true)])])
    }

    @Test(
        "A recorded change is what every event changed of what devices see, whatever became of the row since",
        arguments: 1...10 as ClosedRange<UInt64>)
    func everyChange(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var stage = HistoryMaker.ready()
        for step in 1...150 { HistoryMaker.step(&stage, at: Double(step), using: &random) }
        var state = UserState(user: .ada)
        var expected: [RowKey: [RowChanges.Change]] = [:]
        for event in stage.events {
            // It begins in the middle of the history.
            if event.version == Version(20) { state.beginChanges() }
            let keys = try state.apply(event)
            guard state.changeCount != nil else { continue }
            for key in Set(keys) where key.collection.isPublic {
                guard let row = state.row(key), row.version == event.version else { continue }
                expected[key, default: []].append(.init(version: event.version, isDeleted: row.isDeleted))
            }
        }
        let changes = try #require(state.changes)
        #expect(changes.start == Version(19) && changes.startEvent == stage.events[18].id)
        #expect(changes.end == state.version && changes.endEvent == state.lastEvent)
        let found = changes.rows.map { ($0.key, Array(changes.list[$0.changes])) }
        #expect(Dictionary(uniqueKeysWithValues: found) == expected)
        state.endChanges()
        #expect(state.changes == nil)
    }

    @Test("An unsorted snapshot is read as the same state", arguments: 1...10 as ClosedRange<UInt64>)
    func unsorted(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var stage = HistoryMaker.ready()
        for step in 1...150 { HistoryMaker.step(&stage, at: Double(step), using: &random) }
        let again = try UserState(user: .ada, snapshot: stage.state.unsortedSnapshot)
        #expect(again.snapshot == stage.state.snapshot)
    }

    @Test("Changes come back from their bytes, also without their rows")
    func encoded() throws {
        var changes = RowChanges(
            start: Version(40), startEvent: EventID(UUID()), end: Version(90), endEvent: EventID(UUID()))
        let list: [(Int64, Bool)] = [(41, false), (90, true), (50, true), (60, false)]
        changes.list = list.map { .init(version: Version($0.0), isDeleted: $0.1) }
        changes.rows = [
            .init(key: RowKey(.notifications, app: Self.app, key: "a"), changes: 0..<2),
            .init(key: RowKey(.activeFocus), changes: 2..<3),
            .init(key: RowKey(.notifications, app: Self.app, key: "b"), changes: 3..<4),
        ]
        #expect(try RowChanges(decoding: changes.encoded) == changes)
        var header = changes
        (header.rows, header.list) = ([], [])
        #expect(try RowChanges(decoding: changes.encoded, withRows: false) == header)
        for count in 1..<changes.encoded.count {
            // Cut anywhere it is refused, or has fewer rows; it never traps.
            let cut = try? RowChanges(decoding: Array(changes.encoded.prefix(count)))
            #expect(cut != changes)
        }
    }
}
