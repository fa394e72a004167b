import FocusCore

extension Focus_Events_V1_NotificationPosted: PayloadMessage {
    init(_ event: NotificationPosted) {
        self.init()
        notificationID = event.notificationID
        if let text = event.category { category = text }
        if let text = event.thread { thread = text }
        if let text = event.title { title = text }
        if let text = event.subtitle { subtitle = text }
        body = event.body
        level = Level(number: event.level.rawValue)
        relevance = event.relevance
        marketing = event.marketing
        if let text = event.interactionID { interactionID = text }
        if let time = event.eventAt { eventAtUs = time.microseconds }
        if let text = event.sound { sound = text }
    }

    func eventBody() throws(PayloadError) -> EventBody { .notificationPosted(try post()) }

    func post() throws(PayloadError) -> NotificationPosted {
        NotificationPosted(
            notificationID: notificationID, category: hasCategory ? category : nil, thread: hasThread ? thread : nil,
            title: hasTitle ? title : nil, subtitle: hasSubtitle ? subtitle : nil, body: body,
            level: level == .unspecified ? .active : try InterruptionLevel(number: level.rawValue, field: "level"),
            relevance: relevance, marketing: marketing, interactionID: hasInteractionID ? interactionID : nil,
            eventAt: hasEventAtUs ? Timestamp(microseconds: eventAtUs) : nil, sound: hasSound ? sound : nil)
    }
}

extension Focus_Events_V1_GovernmentAlertPosted: PayloadMessage {
    init(_ event: GovernmentAlertPosted) {
        self.init()
        notification = Focus_Events_V1_NotificationPosted(event.post)
    }

    func eventBody() throws(PayloadError) -> EventBody {
        guard hasNotification else { throw .malformed("notification is missing.") }
        return .governmentAlertPosted(GovernmentAlertPosted(try notification.post()))
    }
}

extension Focus_Events_V1_NotificationRead: PayloadMessage {
    init(_ event: NotificationIDs) {
        self.init()
        ids = event.ids
    }

    func eventBody() throws(PayloadError) -> EventBody { .notificationRead(NotificationIDs(ids: ids)) }
}

extension Focus_Events_V1_NotificationRemoved: PayloadMessage {
    init(_ event: NotificationIDs) {
        self.init()
        ids = event.ids
    }

    func eventBody() throws(PayloadError) -> EventBody { .notificationRemoved(NotificationIDs(ids: ids)) }
}

extension Focus_Events_V1_BadgeCleared: PayloadMessage {
    func eventBody() throws(PayloadError) -> EventBody { .badgeCleared }
}

extension Focus_Events_V1_EventRefused: PayloadMessage {
    init(_ event: EventRefused) {
        self.init()
        type = event.type
        code = event.code
        message = event.message
    }

    func eventBody() throws(PayloadError) -> EventBody {
        .eventRefused(EventRefused(type: type, code: code, message: message))
    }
}
