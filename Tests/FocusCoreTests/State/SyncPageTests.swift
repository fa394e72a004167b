import SeededNumbers
import Testing

@testable import FocusCore

@Suite("UserState: deltas, snapshots, digests") struct SyncPageTests {
    private let system = View(scope: .system, device: .phone, deviceClass: .phone)
    private let chat = View(scope: .app(.chat), device: .phone, deviceClass: .phone)

    private func day() -> Stage {
        var stage = Stage.ready([.chat, .mail])
        stage.configure("x", at: 1)
        stage.focus("x", on: true, at: 2)
        for number in 0..<40 { stage.post("n\(number)", number % 3 == 0 ? .mail : .chat, at: 3 + Double(number)) }
        stage.read("n1", "n2", at: 50)
        stage.remove("n4", "n5", at: 51)
        stage.clear(.mail, at: 52)
        stage.post("n3", .mail, at: 53)
        stage.post("!", AppID("no.app")!, at: 54)
        // One event releases what is held: its version has many more rows than a small page.
        stage.focus("x", on: false, at: 55)
        return stage
    }

    private func collect(_ state: UserState, _ start: SyncPosition, _ view: View, limit: Int) -> [DeltaRow] {
        var rows: [DeltaRow] = []
        var position = start
        for _ in 0..<10_000 {
            let page = state.rows(after: position, in: view, limitBytes: limit)
            rows += page.rows
            position = page.next
            if page.isComplete {
                #expect(position.version == state.version && position.key == nil)
                return rows
            }
            #expect(!page.rows.isEmpty)
        }
        Issue.record("pages without end")
        return rows
    }

    /// The rows of a delta, computed without shortcuts from all rows.
    private func stated(_ stage: Stage, _ start: SyncPosition, _ view: View) -> [DeltaRow] {
        stage.rows
            .filter { view.includes($0.key) && $0.value.version > start.version }
            .filter { !$0.value.isDeleted || $0.value.version > start.skipTombstonesThrough }
            .sorted { ($0.value.version, $0.key) < ($1.value.version, $1.key) }
            .map { DeltaRow(key: $0.key, version: $0.value.version, value: $0.value.isDeleted ? nil : $0.value.value) }
    }

    @Test(
        "S2: a delta is the rows changed since, each once, in order, at any page size",
        arguments: [1, 100, 1_000, 1 << 20])
    func deltas(_ limit: Int) {
        let stage = day()
        for view in [system, chat] {
            for version in 0...stage.state.version.rawValue {
                let start = SyncPosition(version: Version(version))
                #expect(collect(stage.state, start, view, limit: limit) == stated(stage, start, view))
            }
        }
    }

    @Test("S1: a snapshot has no tombstones of before, and has those of meanwhile")
    func snapshots() {
        var stage = day()
        let start = SyncPosition.snapshot(of: stage.state.version)
        let rows = collect(stage.state, start, chat, limit: 200)
        #expect(!rows.isEmpty && rows.allSatisfy { $0.value != nil })
        let page = stage.state.rows(after: start, in: chat, limitBytes: 200)
        stage.remove("n1", at: 60)
        let rest = collect(stage.state, page.next, chat, limit: 200)
        #expect(rest.contains { $0.key == RowKey(.notifications, app: .chat, key: "n1") && $0.value == nil })
    }

    @Test("S7: an app's view never holds another app's row, nor the user's; collections filter")
    func views() {
        let stage = day()
        let rows = collect(stage.state, SyncPosition(version: .zero), chat, limit: 1 << 20)
        #expect(!rows.isEmpty && rows.allSatisfy { $0.key.app == .chat && $0.key.collection.isPublic })
        var badges = system
        badges.collections = [.badges]
        let filtered = collect(stage.state, SyncPosition(version: .zero), badges, limit: 1 << 20)
        #expect(filtered.map(\.key.collection) == [.badges, .badges])
    }

    @Test("S9: the digest is the sum of the hashes of what the device holds, kept incrementally")
    func digests() throws {
        var stage = HistoryMaker.ready()
        var held: [View: [RowKey: DeltaRow]] = [:]
        var positions: [View: SyncPosition] = [:]
        var random = SplitMix64(seed: 4)
        for step in 0..<300 {
            HistoryMaker.step(&stage, at: Double(step), using: &random)
            for view in [system, chat] where Int.random(in: 0..<4, using: &random) == 0 {
                let position = positions[view] ?? SyncPosition(version: .zero)
                for row in collect(stage.state, position, view, limit: 500) {
                    held[view, default: [:]][row.key] = row.value == nil ? nil : row
                }
                positions[view] = SyncPosition(version: stage.state.version)
                let digests = stage.state.digests(in: view)
                #expect(digests.map(\.collection) == RowCollection.allCases.filter(view.holds).sorted())
                for digest in digests {
                    let rows = (held[view] ?? [:]).values.filter { $0.key.collection == digest.collection }
                    var sum = Digest()
                    for row in rows { sum += RowHash(row.key, value: row.value ?? []) }
                    #expect(
                        digest.count == UInt64(rows.count) && digest.digest == sum, "step \(step) \(digest.collection)")
                }
            }
        }
        var reloaded = try UserState(user: .ada, version: stage.state.version, rows: stage.rows)
        #expect(reloaded.digests(in: system) == stage.state.digests(in: system))
    }

    @Test("Q1, S9: digests that are prepared a part at a time are the same, and a part is no larger than asked for")
    func prepared() {
        var (whole, parts) = (day().state, day().state)
        var count = 0
        while parts.prepareDigests(limitBytes: 1_000) >= 1_000 { count += 1 }
        #expect(count > 5 && parts.prepareDigests(limitBytes: 1) == 0)
        #expect(parts.digests(in: system) == whole.digests(in: system))
        #expect(parts.digests(in: chat) == whole.digests(in: chat))
    }

    @Test("S9: collections are ordered by their names")
    func names() {
        #expect(RowCollection.allCases.sorted().map(\.rawValue) == RowCollection.allCases.map(\.rawValue).sorted())
    }
}
