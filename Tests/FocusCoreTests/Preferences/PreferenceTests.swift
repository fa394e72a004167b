import Testing

@testable import FocusCore

extension Stage {
    func preference(_ key: String, _ app: AppID = .chat) -> PropertyValue? {
        value(PreferenceRow.self, RowKey(.preferences, app: app, key: key))?.value
    }

    @discardableResult
    mutating func set(
        _ key: String, _ value: PropertyValue, _ app: AppID = .chat, at second: Double, from device: DeviceID = .phone
    ) -> RefusalCode? {
        send(.preferenceChanged(PreferenceChanged(key: key, value: value)), app: app, from: device, at: second)
    }

    @discardableResult
    mutating func reset(
        _ key: String, _ app: AppID = .chat, at second: Double, from device: DeviceID = .phone
    ) -> RefusalCode? {
        send(.preferenceReset(PreferenceReset(key: key)), app: app, from: device, at: second)
    }

    @discardableResult
    mutating func defaults(
        _ values: [String: PropertyValue], build: Int64 = 1, _ app: AppID = .chat, at second: Double,
        from device: DeviceID = .phone
    ) -> RefusalCode? {
        let entries = values.map { PropertyDictionary.Entry($0.key, $0.value) }
        let body = PreferencesRegistered(build: build, defaults: PropertyDictionary(entries) ?? .empty)
        return send(.preferencesRegistered(body), app: app, from: device, at: second)
    }

    /// The preferences that a delta from version `cursor` contains.
    func news(after cursor: Version) -> [RowKey] {
        state.rows(
            after: SyncPosition(version: cursor), in: View(scope: .system, device: .phone, deviceClass: .phone),
            limitBytes: .max
        ).rows.map(\.key).filter { $0.collection == .preferences }
    }
}

@Suite("UserState: preferences") struct PreferenceTests {
    @Test("D1: the set value, else the registered default, else nothing")
    func effectiveValue() {
        var stage = Stage.ready()
        #expect(stage.preference("k") == nil)
        stage.defaults(["k": .integer(1), "other": .bool(true)], at: 1)
        #expect(stage.preference("k") == .integer(1) && stage.preference("other") == .bool(true))
        stage.set("k", .integer(2), at: 2)
        stage.set("free", .string("x"), at: 2)
        #expect(stage.preference("k") == .integer(2) && stage.preference("free") == .string("x"))
        stage.reset("k", at: 3)
        stage.reset("free", at: 3)
        #expect(stage.preference("k") == .integer(1) && stage.preference("free") == nil)
    }

    @Test("D1: a registration replaces all of the app's defaults; what is set stays")
    func registrationReplaces() {
        var stage = Stage.ready([.chat, .mail])
        stage.defaults(["a": .integer(1), "b": .integer(1), "c": .integer(1)], at: 1)
        stage.defaults(["a": .integer(9)], .mail, at: 1)
        stage.set("c", .integer(5), at: 2)
        stage.defaults(["b": .integer(2), "c": .integer(2)], at: 3)
        #expect(stage.preference("a") == nil && stage.preference("b") == .integer(2))
        #expect(stage.preference("c") == .integer(5) && stage.preference("a", .mail) == .integer(9))
        stage.defaults([:], at: 4)
        #expect(stage.preference("b") == nil && stage.preference("c") == .integer(5))
        stage.reset("c", at: 5)
        #expect(stage.preference("c") == nil)
    }

    @Test("D1: the greater build wins, whatever the time: an old install does not flip the defaults back")
    func greaterBuild() {
        var stage = Stage.ready()
        stage.defaults(["k": .integer(7)], build: 7, at: 10)
        stage.defaults(["k": .integer(6)], build: 6, at: 20, from: .tablet)
        #expect(stage.preference("k") == .integer(7))
        stage.defaults(["k": .integer(70)], build: 7, at: 9, from: .watch)
        #expect(stage.preference("k") == .integer(7))
        stage.defaults(["k": .integer(71)], build: 7, at: 11, from: .watch)
        #expect(stage.preference("k") == .integer(71))
        stage.defaults(["k": .integer(8)], build: 8, at: 12, from: .watch)
        stage.defaults(["k": .integer(80)], build: 8, at: 11, from: .phone)
        #expect(stage.preference("k") == .integer(8))
    }

    @Test("E3: of a key's writes the latest by stamp stands, a reset like a change")
    func register() {
        var stage = Stage.ready()
        stage.set("k", .integer(1), at: 10)
        stage.set("k", .integer(2), at: 9, from: .tablet)
        stage.reset("k", at: 8, from: .watch)
        #expect(stage.preference("k") == .integer(1))
        stage.reset("k", at: 11, from: .watch)
        stage.set("k", .integer(3), at: 10.5, from: .tablet)
        #expect(stage.preference("k") == nil)
        stage.set("k", .integer(4), at: 12, from: .tablet)
        #expect(stage.preference("k") == .integer(4))
    }

    @Test("E3: a reset that arrives before the change it follows is remembered, also without a row")
    func earlyReset() throws {
        var stage = Stage.ready()
        stage.reset("k", at: 10)
        let row = try #require(stage.state.row(RowKey(.preferences, app: .chat, key: "k")))
        #expect(row.isDeleted && row.version == .zero && !row.memo.isEmpty)
        stage.state = try UserState(user: .ada, version: stage.state.version, rows: stage.rows)
        stage.set("k", .integer(1), at: 9, from: .tablet)
        #expect(stage.preference("k") == nil && stage.news(after: .zero).isEmpty)
    }

    @Test("D3: set equal to the default: no delta, and a later default change: none either")
    func setEqualToDefault() {
        var stage = Stage.ready()
        stage.defaults(["k": .integer(1)], at: 1)
        let cursor = stage.state.version
        stage.set("k", .integer(1), at: 2)
        #expect(stage.news(after: cursor).isEmpty)
        stage.defaults(["k": .integer(2)], at: 3)
        #expect(stage.news(after: cursor).isEmpty && stage.preference("k") == .integer(1))
        stage.reset("k", at: 4)
        #expect(stage.news(after: cursor).map(\.key) == ["k"] && stage.preference("k") == .integer(2))
    }

    @Test("D3: an equal value, a losing write, an equal registration and a reset of nothing are no news")
    func noNews() {
        var stage = Stage.ready()
        stage.defaults(["d": .real(.nan), "e": PropertyValueTests.dictionary(("x", .bool(true)))], at: 1)
        stage.set("k", .real(0), at: 1)
        let cursor = stage.state.version
        stage.set("k", .real(-0.0), at: 2)
        stage.set("k", .real(5), at: 1.5, from: .tablet)
        stage.defaults(
            ["d": .real(-.nan), "e": PropertyValueTests.dictionary(("x", .bool(true)))], build: 2, at: 3)
        stage.defaults(["d": .integer(0)], build: 1, at: 4)
        stage.reset("d", at: 5)
        stage.reset("nothing", at: 5)
        #expect(stage.news(after: cursor).isEmpty)
        stage.set("k", .integer(0), at: 6)
        #expect(stage.news(after: cursor).map(\.key) == ["k"])
    }

    @Test("D3: a key that loses its value leaves a tombstone, and comes back as news")
    func removal() {
        var stage = Stage.ready()
        stage.set("k", .integer(1), at: 1)
        let cursor = stage.state.version
        stage.reset("k", at: 2)
        #expect(stage.news(after: cursor).map(\.key) == ["k"])
        let later = stage.state.version
        stage.defaults(["k": .integer(1)], at: 3)
        #expect(stage.news(after: later).map(\.key) == ["k"] && stage.preference("k") == .integer(1))
    }

    @Test("D3: a new subscriber gets the current values; an app gets only its own")
    func newSubscriber() {
        var stage = Stage.ready([.chat, .mail])
        stage.defaults(["a": .integer(1), "b": .integer(2)], at: 1)
        stage.set("b", .integer(3), at: 2)
        stage.set("c", .integer(4), .mail, at: 2)
        let view = View(scope: .app(.chat), device: .tablet, deviceClass: .tablet)
        let rows = stage.state.rows(after: SyncPosition(version: .zero), in: view, limitBytes: .max).rows
            .filter { $0.key.collection == .preferences }
        #expect(rows.map(\.key.key) == ["a", "b"])
        #expect(rows.map(\.value) == [1, 3].map { PreferenceRow(value: .integer($0)).encoded })
    }

    @Test("C2: preferences of an app that is not registered are app_unknown")
    func unknownApp() {
        var stage = Stage()
        #expect(stage.set("k", .bool(true), at: 1) == .appUnknown)
        #expect(stage.reset("k", at: 1) == .appUnknown)
        #expect(stage.defaults(["k": .bool(true)], at: 1) == .appUnknown)
    }

    @Test("A4: an app may write its own preferences and nobody else's")
    func scopes() {
        var stage = Stage.ready([.chat, .mail])
        let bodies: [EventBody] = [
            .preferenceChanged(PreferenceChanged(key: "k", value: .bool(true))),
            .preferenceReset(PreferenceReset(key: "k")),
            .preferencesRegistered(PreferencesRegistered(build: 1, defaults: .empty)),
        ]
        for body in bodies {
            #expect(stage.send(body, app: .chat, at: 1, scope: .app(.chat)) == nil)
            #expect(stage.send(body, app: .mail, at: 1, scope: .app(.chat)) == .forbidden)
            #expect(stage.send(body, at: 1) == .fieldMissing)
        }
    }

    @Test("E2: a refused change leaves no stamp and no row")
    func refusedChange() {
        var stage = Stage.ready()
        let rows = stage.rows.count { $0.key.collection == .preferences }
        #expect(stage.set("", .bool(true), at: 9) == .fieldMissing)
        #expect(stage.rows.count { $0.key.collection == .preferences } == rows)
    }
}
