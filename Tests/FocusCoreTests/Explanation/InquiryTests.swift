import SeededNumbers
import Testing

@testable import FocusCore

@Suite("Inquiry: visibility, badges, preferences") struct InquiryTests {
    private func visibility(_ prepare: (inout Stage) -> Void) -> Explanation {
        var stage = Stage.ready()
        prepare(&stage)
        return stage.why(.focusVisibility(.chat))
    }

    @Test("F3.1: unavailable says which condition fails")
    func unavailable() {
        let causes: [(String, (inout Stage) -> Void)] = [
            ("communicationCapability", { $0.register(capabilities: [], at: 1) }),
            ("notifications", { $0.authorize(.notifications, .provisional, at: 1) }),
            ("focusStatus", { $0.authorize(.focusStatus, .denied, at: 1) }),
            ("usageDescription", { $0.register(usage: "", at: 1) }),
        ]
        for (name, prepare) in causes {
            let why = visibility(prepare)
            #expect(why.decision == "unavailable" && why.rule == "F3.1" && why.deciding == [name])
            #expect(!why.causes.isEmpty)
        }
        let unknown = Stage.ready().why(.focusVisibility(.mail))
        #expect(unknown.rule == "F3.1" && unknown.deciding.contains("registered"))
    }

    @Test("F3.2, F3.3: focused, or which condition makes it not focused")
    func focused() {
        let none = visibility { _ in }
        #expect(none.decision == "notFocused" && none.rule == "F3.3" && none.deciding == ["focus"])
        let on = visibility {
            $0.configure("work", at: 1)
            $0.focus("work", on: true, at: 2)
        }
        #expect(on.decision == "focused" && on.rule == "F3.2" && on["focus"] == "work")
        #expect(on.types.suffix(2) == [.focusConfigured, .focusChanged])
        let silent = visibility {
            $0.configure("work", shares: false, at: 1)
            $0.focus("work", on: true, at: 2)
        }
        #expect(silent.rule == "F3.3" && silent.deciding == ["focusSharesStatus"])
        let allowed = visibility {
            $0.configure("work", allows: [.chat], at: 1)
            $0.focus("work", on: true, at: 2)
        }
        #expect(allowed.rule == "F3.3" && allowed.deciding == ["focusAllowsApp"])
    }

    @Test("F4: a report that stands is what decided")
    func report() {
        let why = visibility { $0.send(.focusStatusReported(FocusStatusReported(isFocused: true)), app: .chat, at: 1) }
        #expect(why.decision == "focused" && why.rule == "F4" && why.deciding == ["report"])
        #expect(why.types.last == .focusStatusReported)
    }

    @Test("B1, B2, B3: the count with what is counted; hidden with what hides it; cleared")
    func badges() {
        var stage = Stage.ready()
        for (second, id) in ["a", "b", "c"].enumerated() { stage.post(id, at: Double(second + 1)) }
        stage.read("b", at: 5)
        let why = stage.why(.badge(.chat, .phone))
        #expect(why.decision == "2" && why.rule == "B1")
        let counted = why.sources.filter { $0.key.collection == .notifications }
        #expect(counted.map(\.key.key) == ["a", "c"] && why.types.last == .notificationRead)
        stage.set(on: .watch, badges: .off, at: 6)
        #expect(stage.why(.badge(.chat, .watch)).rule == "B2" && stage.why(.badge(.chat, .phone)).rule == "B1")
        stage.authorize(.notifications, .denied, at: 7)
        let hidden = stage.why(.badge(.chat, .phone))
        #expect(hidden.decision == "hidden" && hidden.rule == "B2" && hidden.deciding == ["notifications"])
        #expect(hidden["unread"] == "2")
        stage.authorize(.notifications, .authorized, at: 8)
        stage.clear(at: 9)
        #expect(stage.why(.badge(.chat, .phone)).rule == "B3" && stage.why(.badge(.chat, .phone)).decision == "0")
        #expect(stage.why(.badge(.mail, .phone)).decision == "none")
    }

    @Test("B1, B2: read to nothing is no clear; what was posted while badges were off is among the causes")
    func quietBadges() {
        var stage = Stage.ready()
        stage.set(badges: .off, at: 1)
        stage.post("a", at: 2)
        let post = stage.state.version
        stage.set(badges: .on, at: 3)
        let why = stage.why(.badge(.chat, .phone))
        #expect(why.decision == "1" && why.causes.map(\.version).contains(post))
        stage.read("a", at: 4)
        #expect(stage.why(.badge(.chat, .phone)).rule == "B1")
    }

    @Test("D1: set, registered, absent; and whose change lost")
    func preferences() {
        var stage = Stage.ready()
        #expect(stage.why(.preference("p", .chat)).decision == "absent")
        let defaults = PropertyDictionary([.init("p", .integer(1))]) ?? .empty
        stage.send(.preferencesRegistered(PreferencesRegistered(build: 7, defaults: defaults)), app: .chat, at: 1)
        var why = stage.why(.preference("p", .chat))
        #expect(why.decision == "1" && why.deciding == ["default", "build"] && why["build"] == "7")
        #expect(why.types == [.preferencesRegistered])
        stage.send(.preferenceChanged(PreferenceChanged(key: "p", value: .bool(true))), app: .chat, at: 5)
        stage.send(.preferenceReset(PreferenceReset(key: "p")), app: .chat, from: .tablet, at: 4)
        why = stage.why(.preference("p", .chat))
        #expect(why.decision == "true" && why.rule == "D1" && why.deciding == ["set"] && why["default"] == "1")
        #expect(why.types == [.preferencesRegistered, .preferenceChanged, .preferenceReset])
        #expect(why.causes.last?.changes == [])
    }

    /// Every question that an explanation can answer, with what the rows say.
    private func subjects(_ state: UserState) -> [(ExplanationSubject, String)] {
        var subjects: [(ExplanationSubject, String)] = []
        for app in HistoryMaker.apps {
            let visible = state.visibility(app)
            subjects.append((.focusVisibility(app), visible))
            for deviceClass in DeviceClass.allCases {
                subjects.append((.badge(app, deviceClass), state.badge(app, deviceClass)))
                for id in 0..<6 {
                    let decision = state.alert("n\(id)", app, deviceClass)?.decision
                    let subject = ExplanationSubject.notification("n\(id)", app, deviceClass)
                    subjects.append((subject, decision.map { "\($0.alert) \($0.reason.rule)" } ?? ""))
                }
            }
        }
        return subjects
    }

    @Test("N9, F3, F4, B1, B2, E6: over random histories an explanation says what the rows say", arguments: 1...3)
    func random(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var stage = HistoryMaker.ready()
        for step in 1...300 { HistoryMaker.step(&stage, at: Double(step * 3), using: &random) }
        for (subject, expected) in subjects(stage.state) {
            let why = stage.why(subject)
            let found =
                switch subject {
                case .notification: expected.isEmpty ? "" : "\(why.decision) \(why.rule)"
                case .focusVisibility, .badge, .preference: why.decision
                }
            #expect(found == expected, "seed \(seed), \(subject)")
            #expect(why.causes == why.causes.sorted { $0.version < $1.version })
            #expect(why.deciding.isEmpty == false, "seed \(seed), \(subject): \(why.rule) names no input")
        }
    }
}

extension UserState {
    fileprivate func visibility(_ app: AppID) -> String {
        let row: FocusVisibilityRow? = try? shared.value(of: RowKey(.focusVisibility, app: app))
        return row?.isFocused.map { $0 ? "focused" : "notFocused" } ?? "unavailable"
    }

    fileprivate func badge(_ app: AppID, _ deviceClass: DeviceClass) -> String {
        let row: BadgeRow? = try? shared.value(of: RowKey(.badges, app: app))
        return row?.count(on: deviceClass).map { "\($0)" } ?? "hidden"
    }
}
