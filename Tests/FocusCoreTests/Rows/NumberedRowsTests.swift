import SeededNumbers
import Testing

@testable import FocusCore

@Suite("Numbered rows") struct NumberedRowsTests {
    @Test("An index finds what a dictionary holds, also where hashes collide and rows come and go", arguments: 1...20)
    func index(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        // Few hashes, all at the end of the table, so that probe sequences collide and wrap around.
        let hashes = (0..<6).map { _ in UInt.random(in: 0..<8, using: &random) &+ 0xFFFF_FFF8 }
        var (index, expected) = (RowIndex(), [Int: UInt]())
        for step in 0..<2_000 {
            let number = Int.random(in: 0..<40, using: &random)
            if let hash = expected[number] {
                index.remove(hash, number)
                expected[number] = nil
            } else if step < 1_000 || expected.count < 3 {
                let hash = hashes[Int.random(in: 0..<hashes.count, using: &random)]
                index.insert(hash, number)
                expected[number] = hash
            }
            for number in 0..<40 {
                let hash = expected[number] ?? hashes[0]
                #expect(index.number(hash) { $0 == number } == (expected[number] == nil ? nil : number))
            }
        }
    }

    @Test("An entry gives back the hash and the slot that it was given, also the greatest, and that it has none")
    func entry() {
        var entry = RowStore.Entry(key: RowKey(.stream), version: Version(1), appearedAt: Version(1))
        #expect(entry.hash == nil && entry.stream == nil)
        for value: UInt128 in [0, 1, UInt128(UInt64.max), UInt128(UInt64.max) + 1, .max] {
            entry.hash = RowHash(value: value)
            #expect(entry.hash?.value == value)
        }
        entry.hash = nil
        for slot in [0, 1, Int(Int32.max)] {
            entry.stream = slot
            #expect(entry.stream == slot)
        }
        entry.stream = nil
        #expect(entry.hash == nil && entry.stream == nil)
    }

    @Test("A row keeps its number while others go; the number of one that went is given again")
    func numbers() {
        var rows = NumberedRows()
        let keys = (0..<100).map { RowKey(.notifications, app: .chat, key: "n\($0)") }
        let numbers = keys.map { key in
            rows.insert(RowStore.Entry(key: key, version: Version(1), appearedAt: Version(1)))
        }
        for (key, number) in zip(keys, numbers) where number % 3 == 0 {
            rows.remove(number)
            #expect(rows.number(of: key) == nil)
        }
        for (key, number) in zip(keys, numbers) where number % 3 != 0 { #expect(rows.number(of: key) == number) }
        #expect(rows.count == 66 && rows.inUse.count { _ in true } == 66)
        let again = rows.insert(RowStore.Entry(key: RowKey(.stream), version: Version(2), appearedAt: Version(2)))
        #expect(again % 3 == 0 && rows.entries.count == 100 && rows.count == 67)
    }

    @Test("Numbers used again mix nothing up: pages, digests and tombstones are those of a store that was loaded")
    func reuse() throws {
        var random = SplitMix64(seed: 3)
        var store = RowStore()
        let limit = TombstoneQueue.limit
        var version = Version.zero
        // Computes digests early, so that some numbers are given up while their hash is pending and others are not.
        for step in 0..<2 * limit {
            version = version.next
            let key = RowKey(.notifications, app: .chat, key: "n\(step)")
            _ = store.put(key, [UInt8(step % 251)], at: version)
            if Int.random(in: 0..<4, using: &random) > 0 { _ = store.remove(key, at: version) }
            _ = store.trimTombstones()
            if step == limit / 4 { _ = store.digests(in: .everything) }
        }
        #expect(store.horizon > .zero && store.rows.entries.count < 2 * limit - limit / 4)
        #expect(Set(store.unhashed).count == store.unhashed.count)
        var loaded = RowStore()
        loaded.horizon = store.horizon
        try loaded.streams[loaded.streamSlot(.chat)].read(memo: #require(store.stream(of: .chat)).memo)
        for entry in store.rows.inUse.sorted(by: { ($0.version, $0.key) < ($1.version, $1.key) }) {
            let row = Row(version: entry.version, isDeleted: entry.isDeleted, value: entry.value)
            let isNew = loaded.load(entry.key, row, place: entry.place)
            #expect(isNew)
        }
        #expect(loaded.tombstoneCount == store.tombstoneCount)
        let digests = (loaded.digests(in: .everything), store.digests(in: .everything))
        #expect(digests.0 == digests.1)
        let start = SyncPosition(version: .zero)
        let pages = [loaded, store].map { $0.page(after: start, in: .everything, limitBytes: .max, version: version) }
        #expect(pages[0].rows.count == store.count && pages[0] == pages[1])
    }
}

extension View {
    fileprivate static let everything = View(scope: .system, device: .phone, deviceClass: .phone)
}
