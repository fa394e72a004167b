import FocusCore

/// What happens on a day, a frame of a device at a time.
extension UserLife {
    /// How many notifications an app's list holds before the user tidies up; without that, lists would only grow.
    private static let listed = 40

    /// - Parameter time: the time of the frame's first event; it decides what people do at that hour.
    mutating func frame(at time: Timestamp) -> [Draft] {
        guard isSetUp else { return setup() }
        let hour = LocalHour(time, utcOffsetHours: zone.hours)
        if let change = focusChange(hour, time) { return [change] }
        var slot = random.chance(1, of: 2) ? random.below(min(3, apps.count)) : random.below(apps.count)
        if !apps[slot].mayNotify, !random.chance(1, of: 20) { slot = (slot + 1) % apps.count }
        if apps[slot].newest - apps[slot].removed > Self.listed { return tidy(slot) }
        switch random.below(1_000) {
        case 0..<560: return posts(slot)
        case 560..<800: return reads(slot)
        case 800..<880: return tidy(slot)
        case 880..<920: return donation(slot)
        case 920..<950: return [preference(slot)]
        case 950..<975: return [Draft(app: apps[slot].app.id, body: .badgeCleared)]
        case 975..<997: return [register(slot, time)]
        default: return route(time)
        }
    }

    /// Work by day, sleep by night; a Focus that was switched on by hand is switched off by hand.
    private mutating func focusChange(_ hour: LocalHour, _ time: Timestamp) -> Draft? {
        guard random.chance(1, of: 12) else { return nil }
        if isFocused {
            isFocused = false
            return Draft(app: nil, body: .focusChanged(FocusChanged(focusID: "personal", isActive: false)))
        }
        switch hour.hour {
        case 8..<17 where !hour.isWeekend:
            return on("work", until: hour.at(hour: 17))
        case 22..<24: return on("sleep", until: hour.at(hour: 31))
        case 0..<6: return on("sleep", until: hour.at(hour: 7))
        default:
            isFocused = true
            return on("personal", until: random.chance(1, of: 3) ? time.adding(microseconds: 3_600_000_000) : nil)
        }
    }

    private func on(_ focus: String, until: Timestamp?) -> Draft {
        Draft(app: nil, body: .focusChanged(FocusChanged(focusID: focus, isActive: true, endsAt: until)))
    }

    /// Posts one to three notifications, or a burst of 4 to 15.
    private mutating func posts(_ slot: Int) -> [Draft] {
        let count = random.chance(1, of: 6) ? 4 + random.below(12) : 1 + random.below(3)
        return (0..<count).map { _ in Draft(app: apps[slot].app.id, body: .notificationPosted(post(slot, nil))) }
    }

    private mutating func post(_ slot: Int, _ interaction: String?) -> NotificationPosted {
        apps[slot].newest += 1
        let kind = apps[slot].app.kind
        var level = InterruptionLevel.active
        switch kind {
        case .calendar: level = random.chance(1, of: 2) ? .timeSensitive : .active
        case .news: level = random.chance(1, of: 3) ? .passive : .active
        // Some apps try what they may not: the log has refusals too.
        case .other, .shop: level = random.chance(1, of: 100) ? .critical : .active
        case .chat, .sport: break
        }
        return NotificationPosted(
            notificationID: "n\(apps[slot].newest)", category: kind == .chat ? "message" : nil,
            thread: "t\(random.below(6))", title: AppCatalogue.titles[random.below(AppCatalogue.titles.count)],
            body: AppCatalogue.bodies[random.below(AppCatalogue.bodies.count)], level: level,
            relevance: Double(random.below(101)) / 100,
            marketing: kind == .shop && level == .active && random.chance(apps[slot].mayAdvertise ? 50 : 2, of: 100),
            interactionID: interaction)
    }

    private mutating func recent(_ slot: Int) -> String {
        "n\(max(1, apps[slot].newest - random.below(min(20, max(1, apps[slot].newest - apps[slot].removed)))))"
    }

    private mutating func reads(_ slot: Int) -> [Draft] {
        let app = apps[slot].app
        if app.kind == .chat, random.chance(1, of: 8) {
            let gesture: NotificationActionPerformed.Gesture = random.chance(1, of: 2) ? .doubleTap : .action("reply")
            return [
                Draft(
                    app: app.id,
                    body: .notificationActionPerformed(
                        NotificationActionPerformed(notificationID: recent(slot), gesture: gesture)))
            ]
        }
        let count = 1 + random.below(5)
        let ids = (0..<count).map { _ in recent(slot) }
        return ids.map { Draft(app: app.id, body: .notificationRead(NotificationIDs(ids: [$0]))) }
    }

    private mutating func tidy(_ slot: Int) -> [Draft] {
        let first = apps[slot].removed + 1
        let last = min(apps[slot].newest, apps[slot].removed + 5 + random.below(20))
        guard first <= last else { return [Draft(app: apps[slot].app.id, body: .badgeCleared)] }
        apps[slot].removed = last
        let ids = (first...last).map { "n\($0)" }
        return [Draft(app: apps[slot].app.id, body: .notificationRemoved(NotificationIDs(ids: ids)))]
    }

    /// Somebody writes, the app donates and notifies; often the answer follows.
    private mutating func donation(_ slot: Int) -> [Draft] {
        guard apps[slot].app.kind == .chat else { return posts(slot) }
        apps[slot].donated += 1
        let id = "i\(apps[slot].donated)"
        let person = AppCatalogue.people[min(random.below(8), random.below(8))]
        let donated = { (id: String, isIncoming: Bool, time: Timestamp) in
            EventBody.interactionDonated(
                InteractionDonated(
                    interactionID: id, direction: isIncoming ? .incoming : .outgoing,
                    intent: .sendMessage(
                        SendMessage(
                            conversationID: "c-\(person.handle)", sender: isIncoming ? person : nil,
                            recipients: isIncoming ? [] : [person])), startedAt: time))
        }
        let app = apps[slot].app.id
        let time = devices[0].lastOccurred
        var drafts = [
            Draft(app: app, body: donated(id, true, time)),
            Draft(app: app, body: .notificationPosted(post(slot, id))),
        ]
        if random.chance(1, of: 2) { drafts.append(Draft(app: app, body: donated("o\(id)", false, time))) }
        return drafts
    }

    private mutating func preference(_ slot: Int) -> Draft {
        let app = apps[slot].app.id
        switch random.below(4) {
        case 0: return Draft(app: app, body: .preferenceReset(PreferenceReset(key: "sound")))
        case 1:
            let value = PropertyValue.bool(random.chance(1, of: 2))
            return Draft(app: app, body: .preferenceChanged(PreferenceChanged(key: "sound", value: value)))
        default:
            let value = PropertyValue.integer(Int64(10 + random.below(12)))
            return Draft(app: app, body: .preferenceChanged(PreferenceChanged(key: "textSize", value: value)))
        }
    }

    private mutating func register(_ slot: Int, _ time: Timestamp) -> Draft {
        let app = apps[slot].app.id
        switch random.below(6) {
        case 0: return Draft(app: nil, body: .focusConfigured(configured("work", "Work", "briefcase")))
        case 1:
            let until = time.adding(microseconds: WeekRhythm.hourMicroseconds)
            return Draft(app: app, body: .appMuted(AppMuted(until: until)))
        case 2: return Draft(app: app, body: .appUnmuted)
        case 3:
            let choice: SwitchChoice = random.chance(1, of: 3) ? .off : .on
            return Draft(
                app: app, body: .notificationSettingsChanged(NotificationSettingsChanged(timeSensitive: choice)))
        case 4:
            let friend = UserID(random.uuid())
            return Draft(app: app, body: .audienceChanged(AudienceChanged(add: [friend])))
        default:
            return Draft(
                app: app,
                body: .notificationSettingsChanged(
                    NotificationSettingsChanged(deviceClass: .watch, badges: random.chance(1, of: 2) ? .on : .off)))
        }
    }
}
