import FocusCore
import GRDB
import Support
import Testing

@testable import FocusSyncClient

/// A device's store and view against the real fold, while another device of the user acts too.
@Suite("LocalView")
struct LocalViewTests {
    @Test(
        "While only this device acts, what it predicts is what the server sends, row for row", arguments: Seeds.fresh(5)
    )
    func predictsSimpleEvents(seed: UInt64) throws {
        var bodies = RandomBodies(seed: seed)
        var device = try SimulatedDevice()
        try device.begin()
        for step in 0..<40 {
            try device.append(bodies.simple())
            let others = try device.view.rows(of: nil).filter {
                $0.isPredicted && !Self.foreseen.contains($0.key.collection)
            }
            #expect(others.map(\.key) == [], "seed \(seed), step \(step): what is not foreseen stays as confirmed")
            let predicted = try device.predicted(in: Self.foreseen)
            // In two of three steps nothing is delivered, so that predictions fold several events.
            guard bodies.number(0..<3) == 0 else { continue }
            try device.deliver(.max)
            let sent = device.server.rows.filter { Self.foreseen.contains($0.key.collection) }
            #expect(Self.difference(predicted, sent) == [], "seed \(seed), step \(step)")
            try device.receive()
        }
    }

    @Test("Nor is anything else that is foreseen foreseen wrongly, up to the first refusal", arguments: Seeds.fresh(5))
    func predictsEverythingElse(seed: UInt64) throws {
        var bodies = RandomBodies(seed: seed)
        var device = try SimulatedDevice()
        try device.begin()
        var compared = 0
        for step in 0..<60 {
            try device.append(bodies.any())
            guard bodies.number(0..<3) == 0 else { continue }
            let predicted = try device.predicted(in: Self.foreseenOfAny)
            let refusals = try device.store.refusals().count
            try device.deliver(.max)
            if try device.store.refusals().count == refusals {
                let sent = device.server.rows.filter { Self.foreseenOfAny.contains($0.key.collection) }
                #expect(Self.difference(predicted, sent) == [], "seed \(seed), step \(step)")
                compared += sent.isEmpty ? 0 : 1
            }
            try device.receive()
        }
        #expect(compared > 0, "seed \(seed): each time something was refused")
    }

    /// Collections that a device predicts for all events. It leaves others to the server: visibility after an
    /// authorization, preferences after a reset, and the active Focus when it was put on before it was configured.
    private static let foreseenOfAny: Set<RowCollection> = [
        .apps, .authorizations, .focuses, .notifications, .badges, .audience, .notificationSettings, .deliverySchedule,
    ]

    private static let foreseen: Set<RowCollection> = [
        .apps, .authorizations, .focuses, .activeFocus, .focusVisibility, .notifications, .badges, .preferences,
    ]

    @Test(
        "Whatever happens elsewhere, once everything is acknowledged and applied the view is what is confirmed",
        arguments: Seeds.fresh(5))
    func converges(seed: UInt64) throws {
        var bodies = RandomBodies(seed: seed)
        var device = try SimulatedDevice()
        try device.begin()
        for _ in 0..<120 {
            switch bodies.number(0..<8) {
            case 0: try device.elsewhere(bodies.any())
            case 1: try device.receive()
            case 2: try device.log(bodies.number(1..<4))
            case 3: try device.answer()
            default: try device.append(bodies.any())
            }
            let (told, shown) = (device.observed, try device.shown())
            #expect(told == shown, "seed \(seed): an observer knows what there is")
            let anew = try device.shownAnew()
            #expect(shown == anew, "seed \(seed): the view is of the store as it is")
        }
        try device.deliver(.max)
        try device.receive()
        let predicted = try device.view.rows(of: nil).filter(\.isPredicted)
        #expect(predicted == [], "seed \(seed)")
        let shown = try device.shown()
        #expect(shown == device.server.rows, "seed \(seed)")
    }

    @Test("E2: what a refused event did to the view is taken back, and later ones stay")
    func refused() throws {
        var device = try SimulatedDevice()
        try device.begin()
        let app = RandomBodies.apps[0]
        try device.append(
            (.notificationPosted(NotificationPosted(notificationID: "a", body: "1", level: .critical)), app))
        try device.append((.notificationPosted(NotificationPosted(notificationID: "b", body: "2")), app))
        let keys = ["a", "b"].map { RowKey(.notifications, app: app, key: $0) }
        #expect(try keys.map { try device.view.row($0)?.isPredicted } == [true, true])
        try device.deliver(1)
        #expect(try device.view.row(keys[0]) == nil)
        #expect(try device.view.row(keys[1])?.isPredicted == true)
        #expect(try device.store.refusals().map(\.type) == ["notification.posted"])
    }

    @Test("N15, B2: an app's badge follows settings that its session cannot see")
    func appScope() throws {
        let app = RandomBodies.apps[0]
        var device = try SimulatedDevice(.app(app))
        try device.begin()
        try device.elsewhere((.notificationSettingsChanged(NotificationSettingsChanged(badges: .off)), nil))
        try device.receive()
        #expect(try device.view.row(RowKey(.notificationSettings)) == nil)
        let post = NotificationPosted(notificationID: "n", title: "t", body: "b")
        try device.append((.notificationPosted(post), app))
        let row = try device.view.row(RowKey(.notifications, app: app, key: "n"))
        #expect(row?.isPredicted == true)
        let badge = try device.view.row(RowKey(.badges, app: app))
        #expect(badge == LocalRow(key: RowKey(.badges, app: app), value: BadgeRow(count: nil).encoded))
        try device.deliver(.max)
        try device.receive()
        let (shown, sent) = (try device.shown(), device.server.rows)
        #expect(Self.difference(shown, sent) == [])
    }

    @Test("P7: an acknowledged event is shown until the delta that has it, without a moment in between")
    func noFlicker() throws {
        var device = try SimulatedDevice()
        try device.begin()
        let key = RowKey(.preferences, app: RandomBodies.apps[0], key: "k")
        try device.append(
            (.preferenceChanged(PreferenceChanged(key: "k", value: .bool(true))), RandomBodies.apps[0]))
        try device.deliver(.max)
        // As after a restart before the delta: the view is made anew from the store.
        device.view.forget()
        #expect(try device.view.row(key)?.isPredicted == true)
        try device.receive()
        #expect(try device.view.row(key)?.isPredicted == false)
    }

    @Test("P2, P7: when the delta that has an event comes before the answer, nothing is foreseen over it after that")
    func answerAfterDelta() throws {
        var device = try SimulatedDevice()
        try device.begin()
        try device.append((.focusChanged(FocusChanged(focusID: "work", isActive: true)), nil))
        // The connection breaks before the answer. The next one begins with new rows, and the answer is repeated later.
        try device.log(.max)
        try device.elsewhere((.focusChanged(FocusChanged(focusID: "sleep", isActive: true)), nil))
        try device.receive()
        try device.answer()
        let key = RowKey(.activeFocus)
        let row = try #require(try device.view.row(key))
        #expect(!row.isPredicted)
        #expect(try ActiveFocusRow(decoding: row.value ?? []).focusID == "sleep")
        let observed = device.observed[key]
        #expect(observed == row.value)
    }

    @Test("Rows that cannot be folded on are shown as confirmed; it never fails")
    func fallsBack() throws {
        var device = try SimulatedDevice()
        try device.begin()
        let app = RandomBodies.apps[0]
        // Rows that the fold rejects: a badge without its notification, and a Focus written by a later server.
        let badge = RowKey(.badges, app: app)
        let focus = RowKey(.focuses, key: "work")
        try device.confirm([
            DeltaRow(key: badge, version: Version(99), value: BadgeRow(count: 7).encoded),
            DeltaRow(key: focus, version: Version(99), value: [0xFF]),
        ])
        try device.append((.notificationRead(NotificationIDs(ids: ["n"])), app))
        try device.append((.focusChanged(FocusChanged(focusID: "work", isActive: true)), nil))
        #expect(try device.view.row(badge) == LocalRow(key: badge, value: BadgeRow(count: 7).encoded))
        #expect(try device.view.row(focus)?.value == [0xFF])
        #expect(try device.view.rows(of: nil).filter(\.isPredicted) == [])
    }

    @Test("A view that could not be read does not pass for one without events of the device's own")
    func unreadable() throws {
        var device = try SimulatedDevice()
        try device.begin()
        try device.append((.focusConfigured(FocusConfigured(focusID: "work", name: "Work")), nil))
        #expect(try !device.predicted(in: [.focuses]).isEmpty)
        try device.store.database.write { try $0.execute(sql: "UPDATE queue SET event = 'x'") }
        device.view.forget()
        for _ in 0..<2 { #expect(throws: (any Error).self) { try device.view.rows(of: nil) } }
    }

    private static func difference(_ predicted: [RowKey: [UInt8]], _ sent: [RowKey: [UInt8]]) -> [String] {
        Set(predicted.keys).union(sent.keys).sorted().filter { predicted[$0] != sent[$0] }.map { key in
            "\(key.collection) \(key.app?.rawValue ?? "") \(key.key): "
                + "\(predicted[key] ?? []) predicted, \(sent[key] ?? []) sent"
        }
    }
}
