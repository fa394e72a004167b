import Testing

@testable import FocusCore

@Suite("UserState: bounds of preferences") struct PreferenceBoundsTests {
    private func nested(_ depth: Int) -> PropertyValue {
        (1..<depth).reduce(.bool(true)) { value, number in
            number.isMultiple(of: 2) ? .array([value]) : PropertyValueTests.dictionary(("k", value))
        }
    }

    @Test("E5: sixteen values may stand one inside the other, seventeen are value_too_deep")
    func depth() {
        var stage = Stage.ready()
        #expect(stage.set("k", nested(16), at: 1) == nil)
        #expect(stage.set("k", nested(17), at: 2) == .valueTooDeep)
        #expect(stage.defaults(["k": nested(16)], at: 3) == nil)
        #expect(stage.defaults(["k": nested(17)], at: 4) == .valueTooDeep)
    }

    @Test("E5: a value takes 65,536 bytes, one more is value_too_large")
    func size() {
        var stage = Stage.ready()
        let data = PropertyValue.data(Array(repeating: 7, count: 65_536 - 4))
        #expect(data.encoded.count == 65_536)
        #expect(stage.set("k", data, at: 1) == nil)
        let more = PropertyValue.data(Array(repeating: 7, count: 65_536 - 3))
        #expect(stage.set("k", more, at: 2) == .valueTooLarge)
        #expect(stage.defaults(["k": more], at: 3) == .valueTooLarge)
    }

    @Test("E5: keys have 1 to 1,024 bytes, texts at most 4 KiB, also inside; none holds U+0000")
    func texts() {
        var stage = Stage.ready()
        let long = String(repeating: "é", count: 2_048)
        #expect(stage.set("k", .string(long), at: 1) == nil)
        for wrap in [{ $0 }, { .array([$0]) }, { PropertyValueTests.dictionary(("", $0)) }]
            as [(PropertyValue) -> PropertyValue]
        {
            #expect(stage.set("k", wrap(.string(long + "x")), at: 2) == .stringTooLong)
            #expect(stage.set("k", wrap(.string("\0")), at: 2) == .fieldInvalid)
        }
        #expect(stage.set("k", PropertyValueTests.dictionary((long + "x", .bool(true))), at: 2) == .stringTooLong)
        for (key, code) in [
            ("", .fieldMissing), (String(repeating: "k", count: 1_025), .stringTooLong), ("a\0", .fieldInvalid),
        ] as [(String, RefusalCode)] {
            #expect(stage.set(key, .bool(true), at: 3) == code)
            #expect(stage.reset(key, at: 3) == code)
            #expect(stage.defaults([key: .bool(true)], at: 3) == code)
        }
        #expect(stage.set(String(repeating: "k", count: 1_024), .bool(true), at: 4) == nil)
    }

    @Test("E5: 1,000 keys of an app may have a value, the next is too_many_preferences")
    func keys() {
        var stage = Stage.ready([.chat, .mail])
        stage.defaults(Dictionary(uniqueKeysWithValues: (0..<600).map { ("d\($0)", .integer(1)) }), at: 1)
        // 100 of the keys that are set have a default too.
        for number in 500..<1_000 { #expect(stage.set("d\(number)", .integer(2), at: 2) == nil) }
        #expect(stage.set("more", .integer(2), at: 3) == .tooManyPreferences)
        #expect(stage.set("more", .integer(2), .mail, at: 3) == nil)
        // A key that already has a value, set or default, may get another one.
        #expect(stage.set("d0", .integer(3), at: 4) == nil && stage.set("d999", .integer(3), at: 4) == nil)
        #expect(stage.reset("d999", at: 5) == nil && stage.set("more", .integer(2), at: 6) == nil)
        #expect(stage.set("d999", .integer(2), at: 7) == .tooManyPreferences)
        // Resetting a key that has a default frees nothing.
        #expect(stage.reset("d500", at: 8) == nil && stage.set("d999", .integer(2), at: 9) == .tooManyPreferences)
    }

    @Test("E5: a registration may bring 1,000 keys together with what is set, and not one more")
    func defaults() {
        func values(_ count: Int) -> [String: PropertyValue] {
            Dictionary(uniqueKeysWithValues: (0..<count).map { ("d\($0)", .bool(true)) })
        }
        var stage = Stage.ready()
        #expect(stage.defaults(values(1_001), build: 5, at: 1) == .tooManyPreferences)
        #expect(stage.defaults(values(1_000), build: 5, at: 1) == nil)
        #expect(stage.set("d3", .bool(false), at: 2) == nil)
        #expect(stage.set("x", .bool(false), at: 2) == .tooManyPreferences)
        #expect(stage.defaults(values(999), build: 5, at: 3) == nil && stage.set("x", .bool(false), at: 4) == nil)
        #expect(stage.defaults(values(1_000), build: 5, at: 5) == .tooManyPreferences)
        // A registration that loses in any case changes nothing.
        #expect(stage.defaults(values(1_000), build: 4, at: 6) == nil)
        #expect(stage.rows.count { $0.key.collection == .preferences && !$0.value.isDeleted } == 1_000)
    }

    @Test("E5: at most 1,000 resets of an app are remembered; the oldest are forgotten")
    func resets() throws {
        var stage = Stage.ready()
        stage.defaults(["r0": .bool(true)], at: 1)
        for number in 0..<1_001 { stage.reset("r\(number)", at: 100 + Double(number)) }
        // This reset is older than all others, though it arrives later, so it is forgotten at once.
        stage.reset("old", at: 99, from: .tablet)
        stage.reset("new", at: 2_000, from: .tablet)
        let memos = stage.rows.filter { $0.key.collection == .preferences && !$0.value.memoAlone.isEmpty }
        let remembered = Set(memos.keys.map(\.key))
        #expect(remembered == Set((2..<1_001).map { "r\($0)" } + ["new"]))
        // A forgotten reset no longer beats an older change; r0 has the value of its default.
        stage.set("r1", .integer(1), at: 50, from: .watch)
        #expect(stage.preference("r1") == .integer(1) && stage.preference("r0") == .bool(true))
        stage.set("r2", .integer(1), at: 50, from: .watch)
        #expect(stage.preference("r2") == nil)
        let reloaded = try UserState(user: .ada, version: stage.state.version, rows: stage.rows)
        #expect(reloaded.allRows == stage.rows)
    }
}
