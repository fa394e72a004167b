import SeededNumbers
import Testing

@testable import FocusCore

@Suite("Order of change") struct ChangeOrderTests {
    @Test("The first change at or after a version is found, at the end and far from it", arguments: 0...40)
    func firstIndex(count: Int) {
        var random = SplitMix64(seed: UInt64(count))
        var (order, version) = (ChangeOrder(), 1)
        for number in 0..<count {
            version += Int.random(in: 0...2, using: &random)
            order.append(number, at: Version(Int64(version)))
        }
        for version in 0...version + 2 {
            let version = Version(Int64(version))
            #expect(order.firstIndex(atOrAfter: version) == order.changes.count { $0.version < version })
        }
    }

    private func key(_ text: String) -> RowKey { RowKey(.notifications, app: .chat, key: text) }

    /// A store in which one version has so many rows, which come in no order.
    private func store(_ count: Int, using random: inout SplitMix64) -> RowStore {
        var store = RowStore()
        for number in Array(0..<count).shuffled(using: &random) {
            _ = store.put(key("n\(number)"), [UInt8(number % 251)], at: Version(1))
        }
        store.endVersion(Version(1))
        return store
    }

    private func page(_ store: RowStore, after position: SyncPosition, _ view: View, limit: Int) -> SyncPage {
        let version = view.silentApp.flatMap { store.stream(of: $0) }?.count ?? Version(1 << 40)
        return store.page(after: position, in: view, limitBytes: limit, version: version)
    }

    /// All rows after `position`, a page at a time.
    private func collect(
        _ store: inout RowStore, _ view: View, limit: Int, between: (inout RowStore) -> Void = { _ in }
    ) -> [DeltaRow] {
        var (rows, position): ([DeltaRow], SyncPosition) = ([], SyncPosition(version: .zero))
        while true {
            let page = page(store, after: position, view, limit: limit)
            rows += page.rows
            guard !page.isComplete else { return rows }
            position = page.next
            between(&store)
        }
    }

    /// The same, without pages.
    private func stated(_ store: RowStore, _ view: View) -> [DeltaRow] {
        store.rows.inUse
            .map { entry in
                DeltaRow(
                    key: entry.key, version: view.silentApp == nil ? entry.version : entry.place,
                    value: entry.isDeleted ? nil : entry.value)
            }
            .sorted { ($0.version, $0.key) < ($1.version, $1.key) }
    }

    private var views: [View] {
        [.system, .app(.chat)].map { View(scope: $0, device: .phone, deviceClass: .phone) }
    }

    @Test(
        "Q1: many rows of one version are in the order of their keys when it is complete; of fewer each page finds it",
        arguments: [0, 1])
    func edge(more: Int) {
        var random = SplitMix64(seed: 5)
        let store = store(ChangeOrder.longRun + more, using: &random)
        for order in [store.order, store.streams[0].order] {
            let keys = order.changes.map { store.rows.entries[$0.number].key }
            #expect((keys == keys.sorted()) == (more == 1))
        }
        for view in views {
            var paged = store
            #expect(collect(&paged, view, limit: 1_000) == stated(store, view))
        }
    }

    @Test("Q1: rows of a version are sorted when it ends, and not by an event that changes none")
    func endsOnce() {
        var random = SplitMix64(seed: 5)
        var store = RowStore()
        for number in Array(0..<2 * ChangeOrder.longRun).shuffled(using: &random) {
            _ = store.put(key("n\(number)"), [1], at: Version(1))
        }
        let before = [store.order.changes, store.streams[0].order.changes]
        store.moveStream(of: .chat, at: Version(2))
        store.endVersion(Version(2))
        #expect([store.order.changes, store.streams[0].order.changes] == before)
    }

    @Test("Q1: a page within the rows of one version looks at its own rows, and no more")
    func looksAtItsOwn() {
        var random = SplitMix64(seed: 6)
        let store = store(2_000, using: &random)
        for view in views {
            let start = SyncPosition(version: .zero)
            #expect(store.changesOfNextVersion(after: start, in: view) == 2_000)
            let page = page(store, after: start, view, limit: 1_000)
            #expect(!page.isComplete && store.changesOfNextVersion(after: page.next, in: view) == 0)
        }
    }

    @Test("S2: rows of one version are sent each once, in order, also where numbers of others are other rows' by now")
    func reusedNumbers() {
        var random = SplitMix64(seed: 7)
        var store = store(3 * TombstoneQueue.limit / 2, using: &random)
        var version = Version(1)
        for number in Array(0..<TombstoneQueue.limit + 1_000).shuffled(using: &random) {
            version = version.next
            _ = store.remove(key("n\(number)"), at: version)
            store.endVersion(version)
            _ = store.trimTombstones()
            // It gets the number of a tombstone that was dropped.
            _ = store.put(key(number % 2 == 0 ? "a\(number)" : "z\(number)"), [1], at: version.next)
            version = version.next
            store.endVersion(version)
        }
        let run = store.order.run(from: 0)
        #expect(run.contains { store.rows.entries[store.order.changes[$0].number].key.key.first != "n" })
        for view in views {
            var paged = store
            #expect(collect(&paged, view, limit: 5_000) == stated(store, view))
        }
    }

    @Test("S2: rows that change while pages of their version are under way are sent again with their newest values")
    func changesBetween() {
        for view in views {
            var random = SplitMix64(seed: 8)
            var store = store(2_000, using: &random)
            var version = Version(1)
            let sent = collect(&store, view, limit: 2_000) { store in
                version = version.next
                for _ in 0..<20 {
                    let key = key("n\(Int.random(in: 0..<2_000, using: &random))")
                    if Bool.random(using: &random) {
                        _ = store.remove(key, at: version)
                    } else {
                        _ = store.put(key, [UInt8.random(in: 0...255, using: &random)], at: version)
                    }
                }
                store.endVersion(version)
            }
            let held = Dictionary(sent.map { ($0.key, $0) }) { $1 }
            #expect(held == Dictionary(uniqueKeysWithValues: stated(store, view).map { ($0.key, $0) }))
        }
    }
}
