import SeededNumbers
import Testing

@testable import FocusCore

@Suite("What if") struct WhatIfTests {
    /// All differences that the rule in `text` makes to the history of `stage`.
    private func differences(_ text: String, _ stage: Stage) throws -> [WhatIfDifference] {
        try differences(text, stage.events, stage.rows)
    }

    private func differences(
        _ text: String, _ events: [Event], _ rows: [RowKey: Row]
    ) throws -> [WhatIfDifference] {
        let rule = try WhatIfRule(parsing: text)
        var whatIf = WhatIf(rule, of: .ada)
        var found: [WhatIfDifference] = []
        for event in events {
            found += try whatIf.apply(event) { state, time in
                state.dueExpiration.flatMap { $0.at <= time ? ($0.at, .focusExpired($0.event)) : nil }
            }
        }
        #expect(whatIf.before.allRows == rows, "what was is not touched")
        return found + whatIf.finish()
    }

    private func alerts(_ found: [WhatIfDifference]) -> [WhatIfDifference.Alert] {
        found.compactMap { if case .alert(let alert) = $0 { alert } else { nil } }
    }

    /// Chat posts at second 3 and Mail at second 4 in Focus x, which is on from second 2 to 10.
    private func held() -> Stage {
        var stage = Stage.ready([.chat, .mail])
        stage.configure("x", timeSensitive: true, at: 1)
        stage.focus("x", on: true, at: 2)
        stage.post("a", at: 3)
        stage.post("m", .mail, at: 4)
        stage.post("t", level: .timeSensitive, at: 5)
        stage.focus("x", on: false, at: 10)
        return stage
    }

    @Test("N9.6: an app allowed in a Focus would have rung at once, and nothing else changes")
    func allowedApp() throws {
        let found = try differences("allow app com.example.chat in x", held())
        #expect(
            found == [
                .alert(
                    .init(
                        app: .chat, notification: "a", version: found.isEmpty ? .zero : alerts(found)[0].version,
                        recordedAt: .at(3), before: AlertDecision(.heldByFocus, .focus),
                        after: AlertDecision(.now, .allowedApp), rangBefore: .at(10), rangAfter: .at(3)))
            ])
        #expect(alerts(found)[0].effect == .sooner)
        #expect(try differences("allow app com.example.chat in y", held()).isEmpty)
        #expect(try differences("allow app com.example.chat in *", held()) == found)
    }

    @Test("N9.4, N15: with time sensitive off for the app, what broke through would have waited")
    func timeSensitiveOff() throws {
        let found = alerts(try differences("set com.example.chat time-sensitive off", held()))
        #expect(found.map(\.notification) == ["t"] && found.map(\.effect) == [.later])
        #expect(found[0].rangBefore == .at(5) && found[0].rangAfter == .at(10))
        #expect(try alerts(differences("deny time-sensitive in x", held())) == found)
        #expect(try differences("set com.example.mail time-sensitive off", held()).isEmpty)
    }

    @Test("N15: settings that were made are overruled, by whichever device and for whichever class")
    func settingsMade() throws {
        var stage = held()
        stage.set(timeSensitive: .on, at: 11)
        stage.focus("x", on: true, at: 12)
        stage.post("u", level: .timeSensitive, at: 13)
        let found = alerts(try differences("set * time-sensitive off", stage))
        #expect(found.map(\.notification) == ["t", "u"])
        #expect(found[1].rangBefore == .at(13) && found[1].rangAfter == nil && found[1].effect == .silenced)
    }

    @Test("N9.1: with alerts off nothing would have rung; B2: with badges off no badge is shown")
    func off() throws {
        let found = alerts(try differences("set com.example.mail alerts off", held()))
        #expect(found.map(\.notification) == ["m"] && found.map(\.effect) == [.silenced])
        #expect(
            try differences("set com.example.chat badges off", held())
                == [.badge(.init(app: .chat, before: 2, after: nil))])
    }

    /// Chat posts, is silenced for a while with all others, and posts marketing, which a Focus holds until consent to
    /// it has ended.
    private func silencedAndHeld() -> Stage {
        var stage = Stage.ready([.chat])
        stage.authorize(.marketing, .authorized, at: 1)
        stage.post("a", at: 2)
        stage.send(.alertsSilencedChanged(AlertsSilencedChanged(isSilenced: true)), at: 3)
        stage.post("b", at: 4)
        stage.send(.alertsSilencedChanged(AlertsSilencedChanged(isSilenced: false)), at: 5)
        stage.configure("x", at: 6)
        stage.focus("x", on: true, at: 7)
        stage.post("m", marketing: true, at: 8)
        stage.authorize(.marketing, .denied, at: 9)
        stage.focus("x", on: false, at: 10)
        return stage
    }

    @Test("N17: had all apps been silenced, nothing would have rung; had they not been, what was silenced would have")
    func silence() throws {
        let silenced = alerts(try differences("silence on", silencedAndHeld()))
        #expect(silenced.map(\.notification) == ["a", "m"] && silenced.map(\.effect) == [.silenced, .other])
        #expect(silenced.map(\.after) == Array(repeating: AlertDecision(.none, .silenced), count: 2))
        let loud = alerts(try differences("silence off", silencedAndHeld()))
        #expect(loud.map(\.notification) == ["b"] && loud.map(\.effect) == [.rings])
        #expect(loud.first?.rangAfter == .at(4))
    }

    @Test("N4, N9.0: with consent to marketing what was held would have rung; without it nothing of it waits")
    func consent() throws {
        for app in ["com.example.chat", "*"] {
            let given = alerts(try differences("consent \(app) on", silencedAndHeld()))
            #expect(given.map(\.notification) == ["m"] && given.map(\.effect) == [.rings])
            #expect(given.first?.rangAfter == .at(10))
        }
        let denied = alerts(try differences("consent com.example.chat off", silencedAndHeld()))
        #expect(denied.map(\.notification) == ["m"] && denied.first?.after == AlertDecision(.none, .consent))
        #expect(try differences("consent com.example.mail on", silencedAndHeld()).isEmpty)
    }

    @Test("N16, T3: what would have waited for a summary stays waiting when none came")
    func scheduled() throws {
        var stage = Stage.ready([.chat])
        stage.schedule([8 * 60], at: 0.5)
        stage.post("a", at: 3)
        let found = alerts(try differences("set com.example.chat scheduled-delivery on", stage))
        #expect(found.map(\.after) == [AlertDecision(.heldForSummary, .scheduledDelivery)])
        #expect(found.map(\.effect) == [.silenced])
    }

    @Test("T1: a Focus ends by itself in both histories, once")
    func expired() throws {
        var stage = Stage.ready([.chat])
        stage.configure("x", at: 1)
        stage.focus("x", on: true, until: 6, at: 2)
        stage.post("a", at: 3)
        stage.fireTimers(at: 6)
        stage.post("b", at: 7)
        let found = alerts(try differences("allow app com.example.chat in x", stage))
        #expect(found.map(\.notification) == ["a"] && found[0].rangBefore == .at(6) && found[0].rangAfter == .at(3))
    }

    @Test("R2: another limit of accuracy keeps or drops just the points between the two")
    func routeAccuracy() throws {
        var stage = Stage.ready()
        for kind in AuthorizationKind.allCases where kind != .notifications && kind != .focusStatus {
            stage.authorize(kind, .authorized, at: 0)
        }
        let start = RouteStarted(routeID: "r", activity: "running", utcOffsetSeconds: 0)
        stage.send(.routeStarted(start), app: .chat, at: 1)
        let accuracies = [5, 20, 20.01, 49.99, 50, 50.01, 80, 80.01, -1]
        let points = accuracies.enumerated().map { index, accuracy in
            var point = RouteFixtures.point(at: Double(index), north: Double(index) * 3)
            point.horizontalAccuracy = accuracy
            return point
        }
        stage.send(.routeLocationsInserted(RouteLocationsInserted(routeID: "r", points: points)), app: .chat, at: 2)
        for (limit, kept) in [("20", 2), ("80", 7), ("1000", 8), ("4", 0)] {
            let found = try differences("route accuracy \(limit)", stage)
            guard case .route(let route)? = found.first, found.count == 1 else {
                Issue.record("\(found)")
                return
            }
            #expect(route.before?.counts.accepted == 5 && route.after?.counts.accepted == kept, "\(limit) m")
            #expect(route.after?.counts.logged == 9)
        }
        #expect(try differences("route accuracy 50", stage).isEmpty)
    }

    @Test("A route that a stricter limit leaves without points folds all the same")
    func emptyRoute() throws {
        var stage = Stage.ready()
        for kind in AuthorizationKind.allCases where kind != .notifications && kind != .focusStatus {
            stage.authorize(kind, .authorized, at: 0)
        }
        let start = RouteStarted(routeID: "r", activity: "running", utcOffsetSeconds: 0)
        stage.send(.routeStarted(start), app: .chat, at: 1)
        let points = (0..<5).map { RouteFixtures.point(at: Double($0), north: Double($0) * 3) }
        stage.send(.routeLocationsInserted(RouteLocationsInserted(routeID: "r", points: points)), app: .chat, at: 2)
        stage.send(
            .workoutSaved(WorkoutSaved(workoutID: "w", activity: "running", start: .at(0), end: .at(9))), app: .chat,
            at: 3)
        #expect(stage.send(.routeFinished(RouteFinished(routeID: "r", workoutID: "w")), app: .chat, at: 4) == nil)
        #expect(try differences("route accuracy 0.001", stage).count == 1)
    }

    @Test("P10, E3: what would have been has the same incarnations: each scope of a device has its own greatest time")
    func incarnations() throws {
        var state = UserState(user: .ada)
        var events: [Event] = []
        func log(
            _ body: EventBody, of device: DeviceID = .phone, in incarnation: Int64 = 1, app: AppID? = .chat,
            at second: Double
        ) throws {
            let incarnation = Incarnation(device == .server ? 0 : incarnation)
            let event = Event(
                version: state.version.next, device: device, incarnation: incarnation,
                sequence: state.lastSequence(of: device, incarnation: incarnation).next,
                id: EventID(Stage.uuid(events.count + 1)), app: app, occurredAt: .at(second), recordedAt: .at(200),
                body: body)
            _ = try state.apply(event)
            events.append(event)
        }
        for (incarnation, scope) in [(1, Scope.system), (2, .app(.chat))] as [(Int64, Scope)] {
            let began = DeviceIncarnationBegan(device: .phone, incarnation: Incarnation(incarnation), scope: scope)
            try log(.deviceIncarnationBegan(began), of: .server, app: nil, at: 0)
        }
        for event in Stage.ready().events { try log(event.body, app: event.app, at: 1) }
        // The system's session is ahead of the app's, and the tablet's read is between them.
        try log(.focusConfigured(FocusConfigured(focusID: "x", name: "x")), app: nil, at: 100)
        let post = NotificationPosted(notificationID: "n", title: "T", body: "B")
        try log(.notificationPosted(post), in: 2, at: 90)
        try log(.notificationRead(NotificationIDs(ids: ["n"])), of: .tablet, at: 95)
        #expect(try differences("route accuracy 50", events, state.allRows).isEmpty)
    }

    @Test("A rule that says what was so changes nothing, over random histories")
    func nothing() throws {
        for seed in 1...6 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed)
            var stage = HistoryMaker.ready()
            for step in 1...300 { HistoryMaker.step(&stage, at: Double(step * 3), using: &random) }
            // Nobody in the history has this handle.
            #expect(try differences("allow person nobody-at-all in *", stage).isEmpty, "seed \(seed)")
            #expect(try differences("route accuracy 50", stage).isEmpty, "seed \(seed)")
            // Whatever rule is changed, both histories must fold to the end.
            _ = try differences("set * alerts off\nallow app com.example.chat in *\nroute accuracy 10", stage)
        }
    }

    @Test("A rule file is read line by line, and what is wrong is said with its line")
    func parsing() throws {
        let text = """
            # comment
            allow app com.example.chat in work   # another

            deny person Anna B in *
            deny time-sensitive in sleep
            set * scheduled-delivery on
            silence on
            silence off
            consent com.example.chat off
            consent * on
            route accuracy 20.5
            """
        #expect(
            try WhatIfRule(parsing: text).changes == [
                .app(.chat, isAllowed: true, focus: "work"), .person("Anna B", isAllowed: false, focus: nil),
                .timeSensitive(isAllowed: false, focus: "sleep"),
                .setting(.scheduledDelivery, isOn: true, app: nil), .silence(isOn: true), .silence(isOn: false),
                .consent(isGiven: false, app: .chat), .consent(isGiven: true, app: nil), .routeAccuracy(20.5),
            ])
        for wrong in [
            "allow", "allow app", "allow app com.example.chat", "allow app not/an/app in x", "allow person in x",
            "permit app com.example.chat in x", "set com.example.chat sounds off", "set com.example.chat alerts maybe",
            "route accuracy 0", "route accuracy -5", "route accuracy nan", "route accuracy",
            "allow time-sensitive x in y", "silence", "silence maybe", "silence on on", "consent on",
            "consent * perhaps",
            "consent not/an/app on",
        ] {
            do {
                _ = try WhatIfRule(parsing: "# first\n\(wrong)")
                Issue.record("“\(wrong)” was read")
            } catch {
                #expect(error.line == 2 && !error.message.isEmpty, "\(wrong)")
            }
        }
        #expect(throws: WhatIfRuleError.self) { try WhatIfRule(parsing: "# nothing\n") }
    }
}
