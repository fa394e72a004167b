import FocusCore

/// The random events of a simulation's users: with few ids, so that events concern the same things, and some of them
/// invalid.
struct RandomLife {
    static let apps = ["com.example.a", "com.example.b", "com.example.c"].compactMap(AppID.init)

    let users: [UserID]
    /// A user who never does anything.
    let stranger: UserID
    /// Whether the log has the newest format from the beginning. Until it has, devices keep events of new types for a
    /// minute at a time, with everything behind them.
    let hasNewTypes: Bool

    /// The first events of every user; without them most others are refused.
    static var beginning: [(EventBody, AppID?)] {
        apps.flatMap { app -> [(EventBody, AppID?)] in
            let registered = AppRegistered(
                name: "App", build: 1, declaredIntents: [.sendMessage], capabilities: [.communication, .timeSensitive],
                focusStatusUsageDescription: "why")
            return [
                (.appRegistered(registered), app),
                (.authorizationChanged(AuthorizationChanged(kind: .notifications, status: .authorized)), app),
                (.authorizationChanged(AuthorizationChanged(kind: .focusStatus, status: .authorized)), app),
            ]
        }
    }

    /// - Parameter now: the device's clock.
    func event(_ random: inout SeededGenerator, _ scope: Scope, now: Timestamp) -> (EventBody, AppID?) {
        // Some events name an app that is outside the device's scope and not registered.
        let foreign = random.once(in: 25)
        let app = foreign ? AppID("com.example.other") : scope.app ?? random.element(Self.apps)
        let id = "n\(random.number(0..<6))"
        switch random.number(0..<26) {
        case 0..<7: return (.notificationPosted(post(&random, id)), app)
        case 7: return (.notificationRead(NotificationIDs(ids: [id, "n\(random.number(0..<6))"])), app)
        case 8, 9: return (.notificationRemoved(NotificationIDs(ids: [id])), app)
        case 10: return (.badgeCleared, app)
        case 11, 12: return (.preferenceChanged(PreferenceChanged(key: id, value: .integer(now.microseconds % 5))), app)
        case 13: return (.preferenceReset(PreferenceReset(key: id)), app)
        case 14, 15:
            let focus = random.element(["work", "sleep"])
            let ends = random.once(in: 2) ? now.adding(microseconds: Int64(random.number(1...5)) * 1_000_000) : nil
            return (.focusChanged(FocusChanged(focusID: focus, isActive: random.number(0..<3) > 0, endsAt: ends)), nil)
        case 16:
            let configured = FocusConfigured(
                focusID: random.element(["work", "sleep"]), name: id,
                allowedApps: random.once(in: 2) ? [Self.apps[0]] : [], sharesStatus: !random.once(in: 4))
            return (.focusConfigured(configured), nil)
        case 17: return (.focusRemoved(FocusRemoved(focusID: random.element(["work", "sleep"]))), nil)
        case 18: return settings(&random, app, now)
        case 19:
            return (.deliveryScheduleChanged(.init(times: [random.element([0, 480, 1_080])], timeZone: "UTC")), nil)
        case 20:
            return (
                .audienceChanged(AudienceChanged(add: [random.element(users)], remove: [random.element(users)])), app
            )
        case 21: return route(&random, "r\(random.number(0..<2))", app, now)
        case 22: return (.notificationActionPerformed(.init(notificationID: id, gesture: .doubleTap)), app)
        case 23: return donation(&random, id, app, now)
        case 24:
            let kind = AuthorizationKind.notifications
            let status = random.element([AuthorizationStatus.authorized, .authorized, .denied])
            return (.authorizationChanged(AuthorizationChanged(kind: kind, status: status)), app)
        default: return (.focusStatusReported(FocusStatusReported(isFocused: random.element([nil, true, false]))), app)
        }
    }

    /// Events that change what other users may see of a Focus (rules F3 to F5).
    func sharing(_ random: inout SeededGenerator, _ scope: Scope) -> (EventBody, AppID?) {
        let app = scope.app ?? random.element(Self.apps)
        switch random.number(0..<5) {
        case 0, 1: return (.audienceChanged(AudienceChanged(add: [random.element(users)], remove: [])), app)
        case 2: return (.audienceChanged(AudienceChanged(add: [], remove: [random.element(users)])), app)
        case 3 where scope == .system:
            let focus = random.element(["work", "sleep"])
            return (.focusChanged(FocusChanged(focusID: focus, isActive: random.once(in: 2), endsAt: nil)), nil)
        case 4 where scope == .system:
            let focus = random.element(["work", "sleep"])
            return (
                .focusConfigured(FocusConfigured(focusID: focus, name: focus, allowedApps: [], sharesStatus: true)), nil
            )
        default: return (.focusStatusReported(FocusStatusReported(isFocused: random.element([nil, true, false]))), app)
        }
    }

    private func post(_ random: inout SeededGenerator, _ id: String) -> NotificationPosted {
        let body = String(repeating: "text ", count: random.element([1, 1, 20, 200]))
        return NotificationPosted(
            notificationID: id, category: "c", title: random.once(in: 3) ? nil : "T\(random.number(0..<9))", body: body,
            level: random.element(InterruptionLevel.allCases), interactionID: random.once(in: 5) ? id : nil)
    }

    private func settings(_ random: inout SeededGenerator, _ app: AppID?, _ now: Timestamp) -> (EventBody, AppID?) {
        switch random.number(0..<5) {
        case 4 where hasNewTypes:
            return (.alertsSilencedChanged(AlertsSilencedChanged(isSilenced: random.once(in: 2))), nil)
        case 0: return (.appMuted(AppMuted(until: now.adding(microseconds: 3_000_000))), app)
        case 1: return (.appUnmuted, app)
        default:
            let choices: [SwitchChoice?] = [nil, .on, .off, .follow]
            let changed = NotificationSettingsChanged(
                deviceClass: random.element([nil, .watch]), alerts: random.element(choices),
                badges: random.element(choices), scheduledDelivery: random.element(choices))
            return (.notificationSettingsChanged(changed), random.once(in: 3) ? nil : app)
        }
    }

    private func route(
        _ random: inout SeededGenerator, _ id: String, _ app: AppID?, _ now: Timestamp
    ) -> (EventBody, AppID?) {
        switch random.number(0..<5) {
        case 0: return (.routeStarted(RouteStarted(routeID: id, activity: "running", utcOffsetSeconds: 0)), app)
        case 1: return (.workoutSaved(.init(workoutID: id, activity: "running", start: now, end: now)), app)
        case 2: return (.routeFinished(RouteFinished(routeID: id, workoutID: id)), app)
        case 3: return (.routeDiscarded(RouteDiscarded(routeID: id)), app)
        default:
            let points = (0..<random.number(1...5)).map { number in
                RoutePoint(
                    time: now.adding(microseconds: Int64(number) * 1_000_000), latitude: 47 + Double(number) / 1_000,
                    longitude: 8, altitude: 400, horizontalAccuracy: 5)
            }
            return (.routeLocationsInserted(RouteLocationsInserted(routeID: id, points: points)), app)
        }
    }

    private func donation(
        _ random: inout SeededGenerator, _ id: String, _ app: AppID?, _ now: Timestamp
    ) -> (EventBody, AppID?) {
        if random.once(in: 4) { return (.interactionDeleted(.ids([id])), app) }
        let person = Person(handle: "h\(random.number(0..<3))", displayName: "P")
        let message = SendMessage(conversationID: "c", groupName: nil, sender: person, recipients: [person])
        return (
            .interactionDonated(
                InteractionDonated(
                    interactionID: id, direction: .incoming, intent: .sendMessage(message), startedAt: now)), app
        )
    }
}
