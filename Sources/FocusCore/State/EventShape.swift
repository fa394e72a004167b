/// Whether an event's fields are there, in range and within the limits of rule E5, whatever the state.
enum EventShape {
    static func refusal(_ event: Event) -> Refusal? {
        appRefusal(event) ?? bodyRefusal(event.body)
    }

    private static func appRefusal(_ event: Event) -> Refusal? {
        switch (event.body.type.traits.app, event.app) {
        case (.required, nil): Refusal(.fieldMissing, "the envelope's app is required")
        case (.absent, .some): Refusal(.fieldInvalid, "the envelope's app must be absent: this is of the user")
        case (.required, .some), (.absent, nil), (.optional, _): nil
        }
    }

    private static func bodyRefusal(_ body: EventBody) -> Refusal? {
        var check = FieldCheck()
        switch body {
        case .appRegistered(let body):
            check.required("name", body.name)
            check.text("focusStatusUsageDescription", body.focusStatusUsageDescription)
        case .authorizationChanged(let body):
            if body.status == .provisional && body.kind != .notifications {
                check.refuse(.fieldInvalid, "status provisional is for notifications only")
            }
        case .focusConfigured(let body): focus(body, &check)
        case .focusRemoved(let body): check.identifier("focusID", body.focusID)
        case .focusChanged(let body): check.identifier("focusID", body.focusID)
        case .focusExpired(let body): check.identifier("focusID", body.focusID)
        case .focusStatusReported, .badgeCleared, .deviceRevoked, .eventRefused,
            .deviceIncarnationBegan, .deviceIncarnationEnded, .deviceEventsLost, .projectionRebuilt:
            break
        case .audienceChanged(let body):
            check.count("add", body.add.count)
            check.count("remove", body.remove.count)
        case .notificationPosted(let body): post(body, &check)
        case .governmentAlertPosted(let body):
            post(body.post, &check)
            if body.post.marketing || body.post.interactionID != nil {
                check.refuse(.fieldInvalid, "an alert of a government is neither marketing nor a communication")
            }
        case .notificationRead(let body), .notificationRemoved(let body): named(body, &check)
        case .interactionDonated(let body): donation(body, &check)
        case .interactionDeleted(let body): deletion(body, &check)
        case .categoriesRegistered(let body): categories(body, &check)
        case .notificationActionPerformed(let body): action(body, &check)
        case .routeStarted(let body): start(body, &check)
        case .routeLocationsInserted(let body): points(body, &check)
        case .workoutSaved(let body): workout(body, &check)
        case .routeFinished(let body): finish(body, &check)
        case .routeDiscarded(let body): check.identifier("routeID", body.routeID)
        case .notificationSettingsChanged, .appMuted, .appUnmuted, .summaryDelivered, .alertsSilencedChanged,
            .actionHandled,
            .deviceActivity, .deviceActivityEnded, .alertRingsElsewhere:
            break
        case .deliveryScheduleChanged(let body): schedule(body, &check)
        case .preferencesRegistered(let body): defaults(body, &check)
        case .preferenceChanged(let body):
            check.identifier("key", body.key)
            check.property("value", body.value)
        case .preferenceReset(let body): check.identifier("key", body.key)
        }
        return check.refusal
    }

    private static func focus(_ body: FocusConfigured, _ check: inout FieldCheck) {
        check.identifier("focusID", body.focusID)
        check.required("name", body.name)
        check.text("symbol", body.symbol)
        check.count("allowedApps", body.allowedApps.count)
        check.count("allowedPeople", body.allowedPeople.count)
        for person in body.allowedPeople { check.text("allowedPeople", person.text, limit: EventLimits.personBytes) }
    }

    private static func post(_ body: NotificationPosted, _ check: inout FieldCheck) {
        check.identifier("notificationID", body.notificationID)
        // A text that is no identifier names no category that can be registered.
        if let category = body.category { check.identifier("category", category) }
        check.text("thread", body.thread)
        check.text("title", body.title)
        check.text("subtitle", body.subtitle)
        check.text("body", body.body, limit: EventLimits.bodyBytes)
        check.text("interactionID", body.interactionID)
        check.text("sound", body.sound)
        // False for NaN too.
        if !(0...1).contains(body.relevance) { check.refuse(.fieldInvalid, "relevance is from 0 to 1") }
    }

    private static func named(_ body: NotificationIDs, _ check: inout FieldCheck) {
        if body.ids.isEmpty { check.refuse(.fieldMissing, "ids is empty") }
        check.count("ids", body.ids.count)
        for id in body.ids { check.identifier("ids", id) }
    }

    private static func schedule(_ body: DeliveryScheduleChanged, _ check: inout FieldCheck) {
        check.count("times", body.times.count, limit: EventLimits.summaryTimes)
        if !body.times.allSatisfy({ (0..<1_440).contains($0) }) {
            check.refuse(.fieldInvalid, "times are minutes after local midnight, from 0 to 1439")
        }
        if !body.times.isEmpty && body.timeZone.isEmpty { check.refuse(.fieldMissing, "timeZone is empty") }
        check.text("timeZone", body.timeZone, limit: EventLimits.timeZoneBytes)
    }

    private static func start(_ body: RouteStarted, _ check: inout FieldCheck) {
        check.identifier("routeID", body.routeID)
        check.text("activity", body.activity)
        if !(-86_400...86_400).contains(body.utcOffsetSeconds) {
            check.refuse(.fieldInvalid, "utcOffsetSeconds is from -86400 to 86400")
        }
    }

    private static func points(_ body: RouteLocationsInserted, _ check: inout FieldCheck) {
        check.identifier("routeID", body.routeID)
        if body.points.isEmpty { check.refuse(.fieldMissing, "points is empty") }
        if body.points.count > EventLimits.pointsPerBatch {
            check.refuse(.tooManyPoints, "at most \(EventLimits.pointsPerBatch) points in one event")
        }
    }

    private static func workout(_ body: WorkoutSaved, _ check: inout FieldCheck) {
        check.identifier("workoutID", body.workoutID)
        check.text("activity", body.activity)
        if body.end < body.start { check.refuse(.fieldInvalid, "the workout ends before it starts") }
    }

    private static func finish(_ body: RouteFinished, _ check: inout FieldCheck) {
        check.identifier("routeID", body.routeID)
        check.identifier("workoutID", body.workoutID)
        check.count("metadata", body.metadata.count)
        // Sorted, so that the same event is refused in the same words everywhere.
        for (key, value) in body.metadata.sorted(by: { ByteText.precedes($0.key, $1.key) }) {
            check.text("metadata", key)
            check.text("metadata", value)
        }
    }

    private static func defaults(_ body: PreferencesRegistered, _ check: inout FieldCheck) {
        if body.defaults.entries.count > EventLimits.preferencesPerApp {
            check.refuse(.tooManyPreferences, "defaults has more than \(EventLimits.preferencesPerApp) keys")
        }
        for entry in body.defaults.entries {
            check.identifier("defaults", entry.key)
            check.property("defaults", entry.value)
        }
    }
}
