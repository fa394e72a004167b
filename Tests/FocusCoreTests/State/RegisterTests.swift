import Testing

@testable import FocusCore

@Suite("UserState: registers, apps, limits") struct RegisterTests {
    private func status(_ stage: Stage, _ kind: AuthorizationKind) -> AuthorizationStatus? {
        stage.value(AuthorizationRow.self, RowKey(.authorizations, app: .chat, key: kind.name))?.status
    }

    @Test("E3: the greatest stamp wins, not the last arrival")
    func laterWins() {
        var stage = Stage()
        stage.authorize(.location, .authorized, at: 10, from: .phone)
        stage.authorize(.location, .denied, at: 5, from: .tablet)
        #expect(status(stage, .location) == .authorized)
        stage.authorize(.location, .restricted, at: 11, from: .tablet)
        #expect(status(stage, .location) == .restricted)
    }

    @Test("E3: at equal times the greater device wins")
    func devicesDecideTies() {
        for order in [[DeviceID.phone, .tablet], [.tablet, .phone]] {
            var stage = Stage()
            for device in order {
                stage.authorize(.location, device == .phone ? .denied : .authorized, at: 1, from: device)
            }
            #expect(status(stage, .location) == .authorized)
        }
    }

    @Test("E3: writing an equal value moves only the stamp")
    func equalValues() throws {
        var stage = Stage()
        let key = RowKey(.authorizations, app: .chat, key: "location")
        stage.authorize(.location, .denied, at: 1)
        let before = try #require(stage.state.row(key))
        stage.authorize(.location, .denied, at: 5)
        let after = try #require(stage.state.row(key))
        #expect(after.version == before.version && after.value == before.value && after.memo != before.memo)
        #expect(stage.touched.contains(key))
        let view = View(scope: .system, device: .phone, deviceClass: .phone)
        #expect(stage.state.rows(after: SyncPosition(version: Version(1)), in: view, limitBytes: 1_000).rows.isEmpty)
        // The equal write did move the stamp: this earlier one loses.
        stage.authorize(.location, .authorized, at: 3, from: .tablet)
        #expect(status(stage, .location) == .denied)
    }

    @Test("E6: an authorization before its app's registration is accepted, and inert until then")
    func inert() {
        var stage = Stage()
        #expect(stage.authorize(.notifications, .authorized, at: 1) == nil)
        #expect(stage.authorize(.focusStatus, .authorized, at: 1) == nil)
        #expect(stage.badge() == nil && stage.visibility() == nil)
        #expect(stage.post("a", at: 2) == .appUnknown)
        stage.register(at: 3)
        #expect(stage.badge()?.count == 0)
        #expect(stage.visibility()?.isFocused == false)
        #expect(stage.post("a", at: 4) == nil)
    }

    @Test("C1: without a usage description focusStatus counts as not authorized", arguments: [nil, ""] as [String?])
    func usageDescription(_ usage: String?) {
        var stage = Stage.ready()
        #expect(stage.visibility()?.isFocused == false)
        stage.register(usage: usage, at: 2)
        #expect(stage.visibility() == FocusVisibilityRow(isFocused: nil))
    }

    @Test("C2: notifications and routes of an app that is not registered are app_unknown")
    func unknownApps() {
        var stage = Stage()
        let ids = NotificationIDs(ids: ["a"])
        let bodies: [EventBody] = [
            .notificationPosted(NotificationPosted(notificationID: "a", body: "")), .notificationRead(ids),
            .notificationRemoved(ids), .badgeCleared,
            .routeStarted(RouteStarted(routeID: "r", activity: "run", utcOffsetSeconds: 0)),
            .workoutSaved(WorkoutSaved(workoutID: "w", activity: "run", start: .at(0), end: .at(1))),
            .interactionDeleted(.all), .categoriesRegistered(CategoriesRegistered(categories: [])),
            .notificationActionPerformed(NotificationActionPerformed(notificationID: "a", gesture: .doubleTap)),
            Stage.message("i", .outgoing, with: "anna", at: 0),
        ]
        for body in bodies { #expect(stage.send(body, app: .chat, at: 1) == .appUnknown) }
    }

    @Test("E4: exactly five minutes ahead is accepted, a microsecond more is refused")
    func clockSkew() {
        var stage = Stage()
        let body = EventBody.focusRemoved(FocusRemoved(focusID: "f"))
        #expect(stage.send(body, at: 300, recorded: 0) == nil)
        #expect(stage.send(body, at: 300.000_001, recorded: 0) == .clockSkew)
    }

    @Test("E5: lengths are inclusive bounds of UTF-8 bytes")
    func lengths() {
        var stage = Stage.ready()
        func post(_ id: String = "i", title: String = "", body: String = "") -> EventBody {
            .notificationPosted(NotificationPosted(notificationID: id, title: title, body: body))
        }
        let long = String(repeating: "é", count: 2_048)
        #expect(stage.send(post(title: long), app: .chat, at: 1) == nil)
        #expect(stage.send(post(title: long + "x"), app: .chat, at: 1) == .stringTooLong)
        #expect(stage.send(post(body: String(repeating: "x", count: 16_384)), app: .chat, at: 1) == nil)
        #expect(stage.send(post(body: String(repeating: "x", count: 16_385)), app: .chat, at: 1) == .stringTooLong)
        #expect(stage.send(post(""), app: .chat, at: 1) == .fieldMissing)
        #expect(stage.send(post(String(repeating: "x", count: 1_025)), app: .chat, at: 1) == .stringTooLong)
        #expect(stage.send(post("a\0b"), app: .chat, at: 1) == .fieldInvalid)
        let many = NotificationIDs(ids: (0...1_000).map(String.init))
        #expect(stage.send(.notificationRead(many), app: .chat, at: 1) == .tooMany)
        #expect(stage.send(.notificationRead(NotificationIDs(ids: [])), app: .chat, at: 1) == .fieldMissing)
    }

    @Test("N1, E5: a post names a category that could be registered, or none: 1 to 1,024 bytes")
    func categoryNames() {
        var stage = Stage.ready()
        func post(_ category: String?) -> EventBody {
            .notificationPosted(NotificationPosted(notificationID: "i", category: category, body: ""))
        }
        let long = String(repeating: "é", count: 512)
        for (category, refusal) in [
            (nil, nil), ("x", nil), (long, nil), ("", RefusalCode.fieldMissing), (long + "x", .stringTooLong),
            ("a\0b", .fieldInvalid),
        ] {
            #expect(stage.send(post(category), app: .chat, at: 1) == refusal)
        }
    }

    @Test("E5: relevance is from 0 to 1, and a number", arguments: [-0.01, 1.01, .nan, .infinity])
    func relevance(_ value: Double) {
        var stage = Stage.ready()
        let body = NotificationPosted(notificationID: "a", body: "", relevance: value)
        #expect(stage.send(.notificationPosted(body), app: .chat, at: 1) == .fieldInvalid)
    }

    @Test("A4: what an app session may append")
    func scopes() {
        var stage = Stage.ready([.chat, .mail])
        let app = Scope.app(.chat)
        let post = EventBody.notificationPosted(NotificationPosted(notificationID: "a", body: ""))
        #expect(stage.send(post, app: .chat, at: 1, scope: app) == nil)
        #expect(stage.send(post, app: .mail, at: 1, scope: app) == .forbidden)
        #expect(stage.send(post, app: AppID("not.there"), at: 1, scope: app) == .forbidden)
        #expect(stage.send(post, at: 1, scope: app) == .forbidden)
        #expect(stage.send(post, at: 1) == .fieldMissing)
        let systemOnly: [EventBody] = [
            .appRegistered(AppRegistered(name: "x", build: 1)),
            .authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)),
            .focusConfigured(FocusConfigured(focusID: "f", name: "f")), .focusRemoved(FocusRemoved(focusID: "f")),
            .focusChanged(FocusChanged(focusID: "f", isActive: true)),
        ]
        for body in systemOnly { #expect(stage.send(body, app: .chat, at: 2, scope: app) == .forbidden) }
        let open: [EventBody] = [
            .authorizationChanged(AuthorizationChanged(kind: .marketing, status: .authorized)),
            .focusStatusReported(FocusStatusReported(isFocused: true)), .audienceChanged(AudienceChanged(add: [.bob])),
            .badgeCleared, .interactionDeleted(.all), .categoriesRegistered(CategoriesRegistered(categories: [])),
            .notificationActionPerformed(NotificationActionPerformed(notificationID: "b", gesture: .doubleTap)),
            Stage.message("i", .outgoing, with: "anna", at: 0),
        ]
        for body in open { #expect(stage.send(body, app: .chat, at: 2, scope: app) == nil) }
    }

    @Test("A4: server-only types from a client are forbidden, in every scope")
    func serverOnly() {
        var stage = Stage.ready()
        let stamp = Stamp(time: .at(0), device: .phone, sequence: DeviceSequence(1))
        let expired = EventBody.focusExpired(FocusExpired(focusID: "f", activation: stamp))
        let refused = EventBody.eventRefused(EventRefused(type: "", code: "", message: ""))
        for scope in [Scope.system, .app(.chat)] {
            #expect(stage.send(expired, at: 1, scope: scope) == .forbidden)
            #expect(stage.send(refused, app: .chat, at: 1, scope: scope) == .forbidden)
        }
    }

    @Test("Provisional is for notifications only, and a user event names no app")
    func invalidFields() {
        var stage = Stage()
        #expect(stage.authorize(.location, .provisional, at: 1) == .fieldInvalid)
        #expect(stage.send(.focusRemoved(FocusRemoved(focusID: "f")), app: .chat, at: 1) == .fieldInvalid)
    }

    @Test("F5: each member is a register, and who is named in both lists is removed")
    func audience() {
        var stage = Stage.ready()
        let key = RowKey(.audience, app: .chat, key: UserID.bob.description)
        stage.send(.audienceChanged(AudienceChanged(add: [.bob])), app: .chat, at: 10)
        #expect(stage.value(AudienceRow.self, key)?.user == .bob)
        stage.send(.audienceChanged(AudienceChanged(remove: [.bob])), app: .chat, from: .tablet, at: 9)
        #expect(stage.value(AudienceRow.self, key) != nil)
        stage.send(.audienceChanged(AudienceChanged(add: [.bob], remove: [.bob])), app: .chat, from: .tablet, at: 11)
        #expect(stage.value(AudienceRow.self, key) == nil)
    }
}
