import FocusCore
import FocusSyncClient
import Foundation
import SeededNumbers
import Support
import Testing

@Suite("DeviceStore: rows")
struct DeviceStoreRowsTests {
    let directory: TemporaryDirectory
    let store: DeviceStore
    init() throws {
        directory = try TemporaryDirectory()
        store = try DeviceStore(directory: directory.path)
    }

    @Test("S3: a delta moves rows and cursor together and says what changed")
    func delta() throws {
        try store.apply([Fixture.row("a", [1], version: 1), Fixture.row("b", [2], version: 2)], Fixture.cursor(2))
        let changes = try store.apply(
            [
                Fixture.row("a", [1], version: 3), Fixture.row("b", nil, version: 4), Fixture.row("c", [3], version: 5),
                Fixture.row("never", nil, version: 5),
            ], Fixture.cursor(5))
        #expect(changes.map(\.key.key) == ["b", "c"])
        #expect(changes.map(\.before) == [[2], nil])
        #expect(changes.map(\.after) == [nil, [3]])
        #expect(try store.rows().map(\.key.key) == ["a", "c"])
        #expect(try store.cursor == Fixture.cursor(5))
    }

    @Test("S5: rows stay until the snapshot ends; then only its rows are there")
    func snapshot() throws {
        try store.apply([Fixture.row("old", [1], version: 1), Fixture.row("same", [2], version: 1)], Fixture.cursor(1))
        try store.beginStaging()
        try store.stage([Fixture.row("same", [2], version: 1), Fixture.row("new", [3], version: 7)])
        #expect(try store.rows().map(\.key.key) == ["old", "same"])
        try store.stage([Fixture.row("new", [4], version: 8)])
        let changes = try store.finishSnapshot(Fixture.cursor(8))
        #expect(changes.map(\.key.key) == ["new", "old"])
        #expect(changes.map(\.after) == [[4], nil])
        #expect(try store.rows().map(\.value) == [[4], [2]])
        #expect(try store.cursor == Fixture.cursor(8))
        #expect(try store.digests() == store.recomputedDigests())
    }

    @Test("S9: a snapshot of some collections replaces only their rows, and mends their digests")
    func partialSnapshot() throws {
        try store.apply(
            [
                Fixture.row("old", [1], version: 1), Fixture.row("kept", [2], version: 1, in: .alerts),
                Fixture.row("wrong", [3], version: 1, in: .badges),
            ], Fixture.cursor(1))
        try store.beginStaging()
        try store.stage([Fixture.row("new", [4], version: 7), Fixture.row("right", [5], version: 1, in: .badges)])
        let changes = try store.finishSnapshot(Fixture.cursor(1), replacing: [.notifications, .badges])
        #expect(changes.map(\.key.key).sorted() == ["new", "old", "right", "wrong"])
        #expect(try store.rows().map(\.key.key).sorted() == ["kept", "new", "right"])
        #expect(try store.cursor == Fixture.cursor(1))
        #expect(try store.digests() == store.recomputedDigests())
    }

    @Test("S5: a snapshot that never ended leaves nothing behind, here or after reopening")
    func unfinishedSnapshot() throws {
        try store.apply([Fixture.row("old", [1], version: 1)], Fixture.cursor(1))
        try store.beginStaging()
        try store.stage([Fixture.row("half", [9], version: 9)])
        try store.close()
        let again = try DeviceStore(directory: directory.path)
        #expect(try again.rows().map(\.key.key) == ["old"])
        try again.beginStaging()
        try again.finishDelta(Fixture.cursor(2))
        #expect(try again.rows().map(\.key.key) == ["old"])
    }

    @Test("S3: a delta in pages is applied at its end, the last value of a row counts")
    func pagedDelta() throws {
        try store.apply([Fixture.row("a", [1], version: 1)], Fixture.cursor(1))
        try store.beginStaging()
        try store.stage([Fixture.row("a", [2], version: 2), Fixture.row("b", [1], version: 3)])
        try store.stage([Fixture.row("a", nil, version: 4)])
        #expect(try store.cursor == Fixture.cursor(1))
        try store.finishDelta(Fixture.cursor(4))
        #expect(try store.rows().map(\.key.key) == ["b"])
    }

    @Test("Keys are bytes: canonically equal texts are two rows, and a NUL ends nothing")
    func keysAreBytes() throws {
        let keys = ["é", "e\u{301}", "a\u{0}b", "a", ""]
        try store.apply(keys.map { Fixture.row($0, [1], version: 1) }, Fixture.cursor(1))
        #expect(try store.rows().count == 5)
        for key in keys { #expect(try store.row(Fixture.row(key, nil, version: 0).key) != nil) }
        #expect(try store.digests() == store.recomputedDigests())
    }

    @Test("S9: the running digest equals the recomputed one after any deltas and snapshots", arguments: Seeds.fresh(5))
    func digests(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var model: [RowKey: [UInt8]] = [:]
        for step in 1...40 {
            let isSnapshot = Int.random(in: 0..<8, using: &random) == 0
            var rows: [DeltaRow] = []
            for _ in 0..<Int.random(in: 0..<12, using: &random) {
                let collection = try #require(
                    [RowCollection.badges, .notifications, .apps].randomElement(using: &random))
                let value: [UInt8]? = Bool.random(using: &random) ? [UInt8.random(in: 0...3, using: &random)] : nil
                let key = String(Int.random(in: 0..<9, using: &random))
                rows.append(Fixture.row(key, value, version: Int64(step), in: collection))
            }
            if isSnapshot {
                model = [:]
                try store.beginStaging()
                try store.stage(rows)
                try store.finishSnapshot(Fixture.cursor(Int64(step)))
            } else {
                try store.apply(rows, Fixture.cursor(Int64(step)))
            }
            for row in rows { model[row.key] = row.value }
        }
        let held = Dictionary(uniqueKeysWithValues: try store.rows().map { ($0.key, $0.value) })
        #expect(held == model, "seed \(seed)")
        #expect(Divergence.between(try store.digests(), try store.recomputedDigests()).isEmpty, "seed \(seed)")
        try #require(Divergence.between(try store.digests(), []).isEmpty == model.isEmpty, "seed \(seed)")
    }

    @Test("S9: one changed byte, one missing row, one collection too many are differences")
    func divergence() throws {
        try store.apply([Fixture.row("a", [1], version: 1), Fixture.row("b", [2], version: 1)], Fixture.cursor(1))
        let own = try store.digests()
        #expect(Divergence.between(own, own) == [])
        try store.apply([Fixture.row("b", [3], version: 2)], Fixture.cursor(2))
        #expect(Divergence.between(try store.digests(), own) == [.notifications])
        try store.apply([Fixture.row("b", nil, version: 3)], Fixture.cursor(3))
        #expect(Divergence.between(try store.digests(), own) == [.notifications])
        let empty = CollectionDigest(collection: .apps, count: 0, digest: Digest())
        #expect(Divergence.between(own, own + [empty]) == [])
        let other = CollectionDigest(collection: .apps, count: 1, digest: Digest(sum: 5))
        #expect(Divergence.between(own, own + [other]) == [.apps])
    }
}
