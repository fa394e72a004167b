import SeededNumbers
import Testing

@testable import FocusCore

/// Rule Z1, over pairs of histories that differ only in what an app may not see.
@Suite("Silence") struct SilenceTests {
    @Test("Z1: an app's sessions, and its viewers, are told the same, message by message", arguments: 1...72)
    func pairs(_ seed: UInt64) throws {
        let (one, other) = (SilentPair.play(seed, .first), SilentPair.play(seed, .second))
        #expect(one.hidden > 20 && other.hidden > 20 && one.told.count > 60)
        let parted = zip(one.told, other.told).enumerated().first { $0.element.0 != $0.element.1 }
        #expect(parted == nil, "seed \(seed), message \(parted?.offset ?? 0)")
        #expect(one.told.count == other.told.count, "seed \(seed)")
    }

    @Test("Z1: the same pairs part where versions are those of the user", arguments: [1, 2, 3, 25, 26, 27])
    func loud(_ seed: UInt64) {
        let one = SilentPair.play(seed, .first, isSilent: false)
        let other = SilentPair.play(seed, .second, isSilent: false)
        #expect(one.told != other.told)
    }

    @Test("Z1: an app that speaks for itself has room, however many others there are", arguments: [0, 1_000])
    func room(_ others: Int) throws {
        var stage = Stage()
        for number in 0..<others {
            let app = try #require(AppID("com.example.n\(number)"))
            #expect(stage.authorize(.notifications, .authorized, app, at: 1) == nil)
        }
        let report = EventBody.focusStatusReported(FocusStatusReported(isFocused: true))
        #expect(stage.send(report, app: .chat, at: 2, scope: .app(.chat)) == nil)
        #expect(stage.authorize(.notifications, .authorized, .mail, at: 3) == (others == 0 ? nil : .tooMany))
    }

    @Test("Z1, S5: what other apps remove takes no trace of this app's away")
    func tombstones() throws {
        var stage = Stage.ready([.chat, .mail])
        stage.post("kept", at: 1)
        let view = View(scope: .app(.chat), device: .phone, deviceClass: .phone).silenced
        let head = stage.state.head(of: view)
        stage.remove("kept", at: 2)
        for batch in 0..<6 {
            let ids = (0..<1_000).map { "m\(batch)-\($0)" }
            for id in ids { stage.post(id, .mail, at: Double(3 * batch + 3)) }
            stage.clear(.mail, at: Double(3 * batch + 4))
        }
        #expect(stage.state.horizon > .zero && stage.state.head(of: view).horizon == .zero)
        let page = stage.state.rows(after: SyncPosition(version: head.version), in: view, limitBytes: .max)
        #expect(page.rows.contains { $0.key == RowKey(.notifications, app: .chat, key: "kept") && $0.value == nil })
        // The user's own view lost that trace's neighbours, and knows it.
        #expect(stage.state.horizon > head.version)
    }

    @Test("S6: a mark tells histories apart, for the last 32 versions; what is further back, digests tell")
    func marks() throws {
        let view = View(scope: .app(.chat), device: .phone, deviceClass: .phone).silenced
        var (stage, other) = (Stage.ready(), Stage.ready())
        var heads: [StreamHead] = []
        for number in 1...40 {
            stage.post("n\(number)", at: Double(number))
            other.post(number == 20 ? "other" : "n\(number)", at: Double(number))
            heads.append(stage.state.head(of: view))
        }
        #expect(Set(heads.map(\.event)).count == 40)
        #expect(stage.state.head(of: view).version == other.state.head(of: view).version)
        for (number, head) in zip(1..., heads) {
            #expect(stage.state.mayContinue(head.version, head.event, in: view))
            let isKnown = number > 40 - AppStream.rememberedFingerprints
            #expect(!stage.state.mayContinue(head.version, .none, in: view) == isKnown, "\(number)")
            #expect(other.state.mayContinue(head.version, head.event, in: view) == (number < 20), "\(number)")
        }
        let ahead = stage.state.head(of: view).version.next
        for version in [ahead, Version(.max), Version(-1), Version(.min)] {
            #expect(!stage.state.mayContinue(version, .none, in: view))
        }
        #expect(stage.state.mayContinue(.zero, .none, in: view))
    }

    @Test("Z1: what is remembered of streams reloads as it is, and a place behind its stream's end does not load")
    func reloads() throws {
        var stage = Stage.ready([.chat, .mail])
        for number in 1...50 { stage.post("n\(number)", number % 3 == 0 ? .mail : .chat, at: Double(number)) }
        let rows = stage.rows
        let again = try UserState(user: .ada, version: stage.state.version, rows: rows)
        #expect(again.allRows == rows)
        var broken = rows
        broken[RowKey(.appStreams, app: .chat)] = nil
        #expect(throws: FoldError.self) {
            try UserState(user: .ada, version: stage.state.version, rows: broken)
        }
    }

    @Test("Z1: a live session whose stream was counted anew begins again, whatever the new count")
    func countedAnew() throws {
        let view = View(scope: .app(.chat), device: .phone, deviceClass: .phone).silenced
        var (long, short) = (Stage.ready(), Stage.ready())
        for number in 1...9 { long.post("n\(number)", at: Double(number)) }
        short.post("other", at: 1)
        for (before, after) in [(long.state, short.state), (short.state, long.state)] {
            var subscription = Subscription(view: view, log: LogID(Stage.uuid(7)), resumingAt: nil)
            while subscription.isBehind(before) { _ = subscription.advance(before) }
            #expect(subscription.isBehind(after))
            let messages = subscription.advance(after)
            guard case .snapshotBegin(let version, _) = messages.first else {
                Issue.record("no snapshot: \(messages.count)")
                continue
            }
            #expect(version == after.head(of: view).version && !subscription.isBehind(after))
        }
    }
}
