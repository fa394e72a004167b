import SeededNumbers
import Testing

@testable import FocusCore

@Suite("Hidden previews in views") struct HiddenViewTests {
    private static func view(
        _ deviceClass: DeviceClass, _ scope: Scope = .system, isProven: Bool = true
    ) -> View {
        View(scope: scope, device: .phone, deviceClass: deviceClass, isClassProven: isProven)
    }

    private static let views =
        DeviceClass.allCases.map { view($0) } + [
            view(.watch, .app(.chat)), view(.phone, .app(.mail)), view(.tablet, isProven: false),
            view(.watch, .app(.chat), isProven: false),
        ]

    private let key = RowKey(.notifications, app: .chat, key: "n")

    private func rows(_ state: UserState, _ view: View, after version: Version = .zero) -> [DeltaRow] {
        state.rows(after: SyncPosition(version: version), in: view, limitBytes: .max).rows
    }

    private func title(_ stage: Stage, _ view: View) throws -> String? {
        guard let value = rows(stage.state, view).first(where: { $0.key == key })?.value else { return nil }
        return try NotificationRow(decoding: value).title
    }

    /// The rows that a view shows of a state, computed without shortcuts from all rows and the settings' row.
    private func stated(_ stage: Stage, _ view: View) throws -> [RowKey: [UInt8]] {
        var shown: [RowKey: [UInt8]] = [:]
        for (key, row) in stage.rows where view.includes(key) && !row.isDeleted {
            let settings = stage.settings(key.app) ?? stage.settings(nil)
            let classes = view.isClassProven ? [view.deviceClass] : DeviceClass.allCases
            let isHidden =
                key.collection == .notifications && view.scope == .system
                && classes.contains { settings?.effective[$0].previews == .never }
            shown[key] = isHidden ? try NotificationRow.hidden(row.value) : row.value
        }
        return shown
    }

    @Test("N13: with previews never, a class gets only the hidden form; other classes and the app get the content")
    func forms() throws {
        var stage = Stage.ready()
        stage.post("n", at: 1)
        stage.set(on: .watch, previews: .never, at: 2)
        #expect(try title(stage, Self.view(.watch)) == NotificationRow.hiddenTitle)
        #expect(try title(stage, Self.view(.phone)) == "T")
        #expect(try title(stage, Self.view(.watch, .app(.chat))) == "T")
        stage.post("m", at: 3)
        let posted = try #require(
            rows(stage.state, Self.view(.watch), after: Version(5)).first {
                $0.key == RowKey(.notifications, app: .chat, key: "m")
            })
        #expect(try NotificationRow(decoding: posted.value ?? []).title == NotificationRow.hiddenTitle)
        stage.set(on: .watch, previews: .whenUnlocked, at: 4)
        #expect(try title(stage, Self.view(.watch)) == "T")
    }

    @Test("N13: a class that the token does not say hides what any class hides, and has a cursor of its own")
    func claimed() throws {
        var stage = Stage.ready()
        stage.post("n", at: 1)
        #expect(try title(stage, Self.view(.tablet, isProven: false)) == "T")
        stage.set(on: .watch, previews: .never, at: 2)
        #expect(try title(stage, Self.view(.tablet)) == "T")
        #expect(try title(stage, Self.view(.tablet, isProven: false)) == NotificationRow.hiddenTitle)
        #expect(try title(stage, Self.view(.tablet, .app(.chat), isProven: false)) == "T")
        #expect(Self.view(.tablet).hash != Self.view(.tablet, isProven: false).hash)
        let app = Scope.app(.chat)
        #expect(Self.view(.tablet, app).hash == Self.view(.tablet, app, isProven: false).hash)
    }

    @Test("N13, N15: every class follows the phone, an app the default, also one that is first heard of later")
    func following() throws {
        var stage = Stage.ready()
        stage.post("n", at: 1)
        stage.set(nil, previews: .never, at: 2)
        for deviceClass in DeviceClass.allCases {
            #expect(try title(stage, Self.view(deviceClass)) == NotificationRow.hiddenTitle)
        }
        stage.set(on: .phone, previews: .always, at: 3)
        #expect(try title(stage, Self.view(.watch)) == "T")
        stage.register(.mail, at: 4)
        stage.authorize(.notifications, .authorized, .mail, at: 4)
        stage.post("n", .mail, at: 5)
        let mail = RowKey(.notifications, app: .mail, key: "n")
        let row = try #require(rows(stage.state, Self.view(.tablet)).first { $0.key == mail })
        #expect(try NotificationRow(decoding: row.value ?? []).title == NotificationRow.hiddenTitle)
    }

    @Test("N13: when the form changes, every row of the app's list is sent again, and nothing else")
    func sentAgain() {
        var stage = Stage.ready([.chat, .mail])
        for id in ["n", "m", "gone"] { stage.post(id, at: 1) }
        stage.post("n", .mail, at: 1)
        stage.remove("gone", at: 2)
        let cursor = stage.state.version
        let listed = ["m", "n"].map { RowKey(.notifications, app: .chat, key: $0) }
        for (number, previews) in [PreviewsChoice.never, .follow].enumerated() {
            let before = Version(cursor.rawValue + Int64(number))
            stage.set(on: .watch, previews: previews, at: 3 + Double(number))
            for view in [Self.view(.watch), Self.view(.phone), Self.view(.watch, .app(.chat))] {
                let sent = rows(stage.state, view, after: before).map(\.key)
                #expect(sent.filter { $0.collection == .notifications } == listed)
            }
            #expect(Set(listed).isSubset(of: stage.touched))
        }
        // A setting that changes no class's form sends nothing.
        stage.set(on: .watch, previews: .whenUnlocked, at: 6)
        #expect(stage.touched.allSatisfy { $0.collection != .notifications })
        stage.set(on: .watch, previews: .never, at: 5, from: .tablet)
        #expect(stage.touched.allSatisfy { $0.collection != .notifications })
    }

    @Test("N13: the view's hash, and so a cursor, does not depend on the setting")
    func sameView() {
        var stage = Stage.ready()
        let cursor = Cursor(
            log: LogID(Stage.uuid(1)), version: stage.state.version, event: stage.state.lastEvent,
            view: Self.view(.watch).hash)
        stage.set(on: .watch, previews: .never, at: 1)
        #expect(Subscription.accepts(cursor, view: Self.view(.watch), log: cursor.log, state: stage.state))
    }

    @Test(
        "N13, S9: whatever happens, what devices were sent is what views show, and the digests are its recount",
        arguments: 3...14 as ClosedRange<UInt64>)
    func digests(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var stage = HistoryMaker.ready()
        stage.set(on: .watch, previews: .never, at: 0)
        var held: [View: [RowKey: [UInt8]]] = [:]
        var seen: [View: Version] = [:]
        var hiddenRows = 0
        for step in 0..<120 {
            HistoryMaker.step(&stage, at: Double(step), using: &random)
            if Int.random(in: 0..<20, using: &random) == 0 {
                stage.state = try UserState(user: .ada, version: stage.state.version, rows: stage.rows)
            }
            for view in Self.views where Int.random(in: 0..<5, using: &random) == 0 {
                for row in rows(stage.state, view, after: seen[view] ?? .zero) {
                    held[view, default: [:]][row.key] = row.value
                }
                seen[view] = stage.state.version
                let expected = try stated(stage, view)
                #expect(held[view] == expected, "seed \(seed), step \(step)")
                hiddenRows += expected.count { $0.value != stage.rows[$0.key]?.value }
                for digest in stage.state.digests(in: view) {
                    let shown = expected.filter { $0.key.collection == digest.collection }
                    var sum = Digest()
                    for (key, value) in shown { sum += RowHash(key, value: value) }
                    #expect(
                        digest.count == UInt64(shown.count) && digest.digest == sum,
                        "seed \(seed), step \(step), \(digest.collection)")
                }
            }
        }
        #expect(hiddenRows > 0, "seed \(seed) says little")
    }
}
