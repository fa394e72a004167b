import FocusCore

/// What a user's devices send first.
extension UserLife {
    mutating func setup() -> [Draft] {
        isSetUp = true
        var drafts: [Draft] = []
        for slot in apps.indices { drafts += setup(slot) }
        for focus in [("work", "Work", "briefcase"), ("sleep", "Sleep", "bed"), ("personal", "Personal", "person")] {
            drafts.append(Draft(app: nil, body: .focusConfigured(configured(focus.0, focus.1, focus.2))))
        }
        if random.chance(1, of: 4) {
            drafts.append(
                Draft(
                    app: nil,
                    body: .deliveryScheduleChanged(
                        DeliveryScheduleChanged(times: [8 * 60, 18 * 60], timeZone: zone.name))))
            for app in apps where app.app.kind == .news {
                drafts.append(
                    Draft(
                        app: app.app.id,
                        body: .notificationSettingsChanged(NotificationSettingsChanged(scheduledDelivery: .on))))
            }
        }
        return drafts
    }

    mutating func configured(_ id: String, _ name: String, _ symbol: String?) -> FocusConfigured {
        let people = Set(AppCatalogue.people.prefix(random.below(4)).map { ByteText($0.handle) })
        let allowed = random.chance(1, of: 2) ? Set([apps[random.below(apps.count)].app.id]) : []
        return FocusConfigured(
            focusID: id, name: name, symbol: symbol, allowedApps: allowed, allowedPeople: people,
            allowsTimeSensitive: random.chance(2, of: 3), sharesStatus: random.chance(4, of: 5))
    }

    private mutating func setup(_ slot: Int) -> [Draft] {
        let app = apps[slot].app
        var capabilities: Set<AppCapability> = [.pushNotifications]
        var intents: Set<DeclaredIntent> = []
        if app.kind == .chat {
            capabilities.formUnion([.communication, .siriKit, .timeSensitive])
            intents = [.sendMessage, .startCall]
        }
        if app.kind == .calendar { capabilities.insert(.timeSensitive) }
        var bodies: [EventBody] = [
            .appRegistered(
                AppRegistered(
                    name: app.name, build: 100, declaredIntents: intents, capabilities: capabilities,
                    focusStatusUsageDescription: app.kind == .chat ? "So that friends know when to write." : nil))
        ]
        let notifications = random.below(20)
        apps[slot].mayNotify = notifications > 0
        bodies.append(
            authorization(
                .notifications, [notifications == 0 ? .denied : notifications < 3 ? .provisional : .authorized]))
        switch app.kind {
        case .chat:
            bodies.append(authorization(.focusStatus, [.authorized, .authorized, .denied]))
            bodies.append(.categoriesRegistered(Self.categories))
        case .shop:
            apps[slot].mayAdvertise = random.chance(1, of: 2)
            bodies.append(authorization(.marketing, [apps[slot].mayAdvertise ? .authorized : .denied]))
        case .sport:
            for kind in [AuthorizationKind.location, .shareRoutes, .shareWorkouts, .readRoutes, .readWorkouts] {
                bodies.append(authorization(kind, [.authorized]))
            }
        case .calendar, .news, .other: break
        }
        if let defaults = PropertyDictionary([.init("sound", .bool(true)), .init("textSize", .integer(14))]) {
            bodies.append(.preferencesRegistered(PreferencesRegistered(build: 100, defaults: defaults)))
        }
        return bodies.map { Draft(app: app.id, body: $0) }
    }

    private mutating func authorization(_ kind: AuthorizationKind, _ statuses: [AuthorizationStatus]) -> EventBody {
        .authorizationChanged(AuthorizationChanged(kind: kind, status: statuses[random.below(statuses.count)]))
    }

    private static let categories = CategoriesRegistered(categories: [
        NotificationCategory(
            id: "message", hiddenPreviewsPlaceholder: "Message",
            actions: [
                NotificationAction(id: "reply", title: "Reply", textInput: true),
                NotificationAction(id: "mute", title: "Mute", destructive: true),
            ])
    ])
}
