import FocusCore
import Foundation
import Testing

/// A full sample of every event type, the same that `Schema/samples/events_v1.txt` holds as bytes. Samples never
/// change: they prove that events of schema version 1 stay readable.
enum SampleEvents {
    static let time = Timestamp(microseconds: 1_750_000_000_000_000)

    static func id(_ number: UInt8) -> UUID {
        UUID(uuid: (0x01, 0x90, 0xA6, 0xB0, 0x1C, 0x2D, 0x7E, 0x3F, 0x8A, 0x4B, 0, 0, 0, 0, 0, number))
    }

    static func app(_ name: String) throws -> AppID { try #require(AppID(name)) }

    static func full(_ type: EventType) throws -> EventBody {
        switch type {
        case .appRegistered:
            .appRegistered(
                AppRegistered(
                    name: "Messages", build: 42, declaredIntents: [.sendMessage, .startCall],
                    capabilities: [.pushNotifications, .communication, .timeSensitive, .siriKit, .critical],
                    focusStatusUsageDescription: "To tell others when you are busy."))
        case .authorizationChanged: .authorizationChanged(AuthorizationChanged(kind: .focusStatus, status: .authorized))
        case .focusConfigured:
            .focusConfigured(
                FocusConfigured(
                    focusID: "work", name: "Work", symbol: "briefcase", allowedApps: [try app("com.example.calendar")],
                    allowedPeople: ["anna@example.com", "tel:+41441234567"], allowsTimeSensitive: true,
                    sharesStatus: true))
        case .focusRemoved: .focusRemoved(FocusRemoved(focusID: "work"))
        case .focusChanged:
            .focusChanged(
                FocusChanged(focusID: "work", isActive: true, endsAt: time.adding(microseconds: 3_600_000_000)))
        case .focusStatusReported: .focusStatusReported(FocusStatusReported(isFocused: false))
        case .focusExpired:
            .focusExpired(
                FocusExpired(
                    focusID: "work", activation: Stamp(time: time, device: DeviceID(id(1)), sequence: DeviceSequence(7))
                ))
        case .audienceChanged:
            .audienceChanged(AudienceChanged(add: [UserID(id(2)), UserID(id(3))], remove: [UserID(id(4))]))
        case .notificationPosted:
            .notificationPosted(
                NotificationPosted(
                    notificationID: "message-1", category: "message", thread: "anna", title: "Anna Müller",
                    subtitle: "Trip",
                    body: "At half past six?", level: .timeSensitive, relevance: 0.75, marketing: true,
                    interactionID: "interaction-1", eventAt: time, sound: "chime"))
        case .notificationRead: .notificationRead(NotificationIDs(ids: ["message-1", "message-2"]))
        case .notificationRemoved: .notificationRemoved(NotificationIDs(ids: ["message-1"]))
        case .interactionDonated:
            .interactionDonated(
                InteractionDonated(
                    interactionID: "interaction-1", direction: .incoming,
                    intent: .sendMessage(
                        SendMessage(
                            conversationID: "trip", groupName: "Trip", sender: person,
                            recipients: [Person(handle: "me"), Person(handle: "zoe", displayName: "Zoë")])),
                    startedAt: time, durationMicroseconds: 1_000_000))
        case .interactionDeleted: .interactionDeleted(.ids(["interaction-1", "interaction-2"]))
        case .categoriesRegistered: .categoriesRegistered(CategoriesRegistered(categories: [category]))
        case .notificationActionPerformed:
            .notificationActionPerformed(
                NotificationActionPerformed(notificationID: "message-1", gesture: .action("reply"), text: "Yes!"))
        case .badgeCleared: .badgeCleared
        case .routeStarted: .routeStarted(RouteStarted(routeID: "r1", activity: "running", utcOffsetSeconds: -12_600))
        case .routeLocationsInserted:
            .routeLocationsInserted(RouteLocationsInserted(routeID: "r1", points: [fullPoint, barePoint]))
        case .workoutSaved:
            .workoutSaved(
                WorkoutSaved(
                    workoutID: "w1", activity: "running", start: time, end: time.adding(microseconds: 1_800_000_000)))
        case .routeFinished:
            .routeFinished(
                RouteFinished(routeID: "r1", workoutID: "w1", metadata: ["shoe": "blue", "weather": "light rain"]))
        case .routeDiscarded: .routeDiscarded(RouteDiscarded(routeID: "r1"))
        case .notificationSettingsChanged:
            .notificationSettingsChanged(
                NotificationSettingsChanged(
                    deviceClass: .watch, alerts: .on, badges: .off, sounds: .follow, previews: .never,
                    timeSensitive: .off, scheduledDelivery: .on))
        case .appMuted: .appMuted(AppMuted(until: time))
        case .appUnmuted: .appUnmuted
        case .deliveryScheduleChanged:
            .deliveryScheduleChanged(DeliveryScheduleChanged(times: [1_080, 0, 480], timeZone: "Europe/Zurich"))
        case .summaryDelivered:
            .summaryDelivered(
                SummaryDelivered(
                    schedule: Stamp(time: time, device: DeviceID(id(1)), sequence: DeviceSequence(7)),
                    dueAt: time.adding(microseconds: 3_600_000_000)))
        case .preferencesRegistered:
            .preferencesRegistered(PreferencesRegistered(build: 42, defaults: try #require(everyType)))
        case .preferenceChanged: .preferenceChanged(PreferenceChanged(key: "volume", value: .real(0.75)))
        case .preferenceReset: .preferenceReset(PreferenceReset(key: "volume"))
        case .deviceRevoked: .deviceRevoked(DeviceRevoked(device: DeviceID(id(5))))
        case .deviceIncarnationBegan:
            .deviceIncarnationBegan(
                DeviceIncarnationBegan(
                    device: DeviceID(id(5)), incarnation: Incarnation(1 << 62 | 1),
                    scope: .app(try app("com.example.chat"))))
        case .deviceIncarnationEnded:
            .deviceIncarnationEnded(
                DeviceIncarnationEnded(device: DeviceID(id(5)), incarnation: Incarnation(-7), scope: .system))
        case .projectionRebuilt:
            .projectionRebuilt(
                ProjectionRebuilt(
                    generation: 2,
                    rows: [
                        RowKey(.focuses, key: "work"), RowKey(.routes, app: AppID("com.example.messages"), key: "r1"),
                    ],
                    horizon: Version(5)))
        case .eventRefused:
            .eventRefused(
                EventRefused(
                    type: "notification.posted", code: "not_authorized", message: "Notifications are not authorized."))
        case .deviceEventsLost:
            .deviceEventsLost(DeviceEventsLost(first: DeviceSequence(8), last: DeviceSequence(12)))
        case .alertsSilencedChanged: .alertsSilencedChanged(AlertsSilencedChanged(isSilenced: true))
        case .actionHandled: .actionHandled(ActionHandled(id: EventID(id(6))))
        case .deviceActivity:
            .deviceActivity(
                DeviceActivity(
                    device: DeviceID(id(5)), scope: .system, deviceClass: .phone, app: try app("com.example.chat")))
        case .deviceActivityEnded:
            .deviceActivityEnded(
                DeviceActivityEnded(
                    device: DeviceID(id(5)), scope: .app(try app("com.example.chat")), reportedAt: time))
        case .alertRingsElsewhere: .alertRingsElsewhere(AlertRingsElsewhere(dueAt: time))
        case .governmentAlertPosted:
            .governmentAlertPosted(
                GovernmentAlertPosted(
                    NotificationPosted(
                        notificationID: "flood-1", title: "Weather", body: "Leave the riverside.", level: .critical)))
        }
    }

    static let person = Person(handle: "tel:+41441234567", displayName: "Anna Müller", avatar: "avatars/anna")
    static let category = NotificationCategory(
        id: "message", hiddenPreviewsPlaceholder: "Message",
        actions: [
            NotificationAction(
                id: "reply", title: "Reply", icon: "arrow", opensApp: true, textInput: true, needsUnlock: true),
            NotificationAction(id: "delete", title: "Delete", destructive: true),
        ])

    /// A value of every property-list type (rule D2).
    private static let everyType = PropertyDictionary([
        .init("array", .array([.integer(1), .real(1), .bool(true)])), .init("bool", .bool(true)),
        .init("data", .data([0, 255])), .init("date", .date(time)),
        .init(
            "dictionary",
            PropertyDictionary([.init("é", .string("")), .init("e", .real(-0.5))]).map(PropertyValue.dictionary)
                ?? .bool(false)),
        .init("integer", .integer(-3)), .init("real", .real(1.5)), .init("string", .string("Grüße")),
    ])
    private static let fullPoint = RoutePoint(
        time: time, latitude: 47.376886, longitude: -8.541694, altitude: 408.5, horizontalAccuracy: 50.01,
        verticalAccuracy: 3, speed: 2.75, course: 271.5)
    private static let barePoint = RoutePoint(time: time.adding(microseconds: 1), latitude: 0, longitude: 0)

    /// The minimal event of each type.
    static func bare(_ type: EventType) -> EventBody {
        switch type {
        case .appRegistered: .appRegistered(AppRegistered(name: "", build: 0))
        case .authorizationChanged:
            .authorizationChanged(AuthorizationChanged(kind: .notifications, status: .notDetermined))
        case .focusConfigured: .focusConfigured(FocusConfigured(focusID: "", name: "", allowsTimeSensitive: false, sharesStatus: false))
        case .focusRemoved: .focusRemoved(FocusRemoved(focusID: ""))
        case .focusChanged: .focusChanged(FocusChanged(focusID: "", isActive: false))
        case .focusStatusReported: .focusStatusReported(FocusStatusReported(isFocused: nil))
        case .focusExpired:
            .focusExpired(
                FocusExpired(
                    focusID: "", activation: Stamp(time: Timestamp(microseconds: 0), device: .server, sequence: .zero)))
        case .audienceChanged: .audienceChanged(AudienceChanged())
        case .notificationPosted: .notificationPosted(NotificationPosted(notificationID: "", body: ""))
        case .notificationRead: .notificationRead(NotificationIDs(ids: []))
        case .notificationRemoved: .notificationRemoved(NotificationIDs(ids: [""]))
        case .interactionDonated:
            .interactionDonated(
                InteractionDonated(
                    interactionID: "", direction: .outgoing, intent: .startCall(StartCall(kind: .audio)),
                    startedAt: Timestamp(microseconds: 0)))
        case .interactionDeleted: .interactionDeleted(.ids([]))
        case .categoriesRegistered: .categoriesRegistered(CategoriesRegistered(categories: []))
        case .notificationActionPerformed:
            .notificationActionPerformed(NotificationActionPerformed(notificationID: "", gesture: .doubleTap))
        case .badgeCleared: .badgeCleared
        case .routeStarted: .routeStarted(RouteStarted(routeID: "", activity: "", utcOffsetSeconds: 0))
        case .routeLocationsInserted: .routeLocationsInserted(RouteLocationsInserted(routeID: "", points: []))
        case .workoutSaved:
            .workoutSaved(
                WorkoutSaved(
                    workoutID: "", activity: "", start: Timestamp(microseconds: .min),
                    end: Timestamp(microseconds: .max)))
        case .routeFinished: .routeFinished(RouteFinished(routeID: "", workoutID: "", metadata: ["": ""]))
        case .routeDiscarded: .routeDiscarded(RouteDiscarded(routeID: ""))
        case .notificationSettingsChanged: .notificationSettingsChanged(NotificationSettingsChanged())
        case .appMuted: .appMuted(AppMuted(until: Timestamp(microseconds: 0)))
        case .appUnmuted: .appUnmuted
        case .deliveryScheduleChanged: .deliveryScheduleChanged(DeliveryScheduleChanged(times: [], timeZone: ""))
        case .summaryDelivered:
            .summaryDelivered(
                SummaryDelivered(
                    schedule: Stamp(time: Timestamp(microseconds: 0), device: .server, sequence: .zero),
                    dueAt: Timestamp(microseconds: .min)))
        case .preferencesRegistered: .preferencesRegistered(PreferencesRegistered(build: 0, defaults: .empty))
        case .preferenceChanged: .preferenceChanged(PreferenceChanged(key: "", value: .bool(false)))
        case .preferenceReset: .preferenceReset(PreferenceReset(key: ""))
        case .deviceRevoked: .deviceRevoked(DeviceRevoked(device: .server))
        case .deviceIncarnationBegan:
            .deviceIncarnationBegan(
                DeviceIncarnationBegan(device: .server, incarnation: Incarnation(0), scope: .system))
        case .deviceIncarnationEnded:
            .deviceIncarnationEnded(
                DeviceIncarnationEnded(device: .server, incarnation: Incarnation(0), scope: .system))
        case .projectionRebuilt: .projectionRebuilt(ProjectionRebuilt(generation: 0, rows: []))
        case .eventRefused: .eventRefused(EventRefused(type: "", code: "", message: ""))
        case .deviceEventsLost: .deviceEventsLost(DeviceEventsLost(first: .zero, last: .zero))
        case .alertsSilencedChanged: .alertsSilencedChanged(AlertsSilencedChanged(isSilenced: false))
        case .actionHandled: .actionHandled(ActionHandled(id: nil))
        case .deviceActivity:
            .deviceActivity(
                DeviceActivity(device: DeviceID(id(5)), scope: .system, deviceClass: .desktop, app: nil))
        case .deviceActivityEnded:
            .deviceActivityEnded(
                DeviceActivityEnded(
                    device: DeviceID(id(5)), scope: .system, reportedAt: Timestamp(microseconds: 0)))
        case .alertRingsElsewhere: .alertRingsElsewhere(AlertRingsElsewhere(dueAt: Timestamp(microseconds: 0)))
        case .governmentAlertPosted:
            .governmentAlertPosted(GovernmentAlertPosted(NotificationPosted(notificationID: "", body: "")))
        }
    }

    /// Events with an optional field that is present and holds its default value.
    static let presentDefaults: [EventBody] = [
        .preferenceChanged(PreferenceChanged(key: "k", value: .integer(0))),
        .preferenceChanged(PreferenceChanged(key: "k", value: .real(0))),
        .preferenceChanged(PreferenceChanged(key: "k", value: .string(""))),
        .preferenceChanged(PreferenceChanged(key: "k", value: .date(Timestamp(microseconds: 0)))),
        .preferenceChanged(PreferenceChanged(key: "k", value: .data([]))),
        .preferenceChanged(PreferenceChanged(key: "k", value: .array([.array([]), .dictionary(.empty)]))),
        .appRegistered(AppRegistered(name: "", build: -1, focusStatusUsageDescription: "")),
        .focusConfigured(FocusConfigured(focusID: "f", name: "", symbol: "", allowedPeople: [""], sharesStatus: true)),
        .focusChanged(FocusChanged(focusID: "f", isActive: true, endsAt: Timestamp(microseconds: 0))),
        .focusStatusReported(FocusStatusReported(isFocused: true)),
        .notificationPosted(
            NotificationPosted(
                notificationID: "n", category: "", thread: "", title: "", subtitle: "", body: "", level: .passive,
                relevance: -0.0, interactionID: "", eventAt: Timestamp(microseconds: 0), sound: "")),
        .interactionDonated(
            InteractionDonated(
                interactionID: "i", direction: .incoming,
                intent: .sendMessage(
                    SendMessage(
                        conversationID: "", groupName: "", sender: Person(handle: "", displayName: "", avatar: ""))),
                startedAt: time, durationMicroseconds: 0)),
        .interactionDonated(
            InteractionDonated(
                interactionID: "i", direction: .outgoing,
                intent: .startCall(StartCall(kind: .video, caller: person, participants: [person])), startedAt: time)),
        .interactionDeleted(.conversation("")), .interactionDeleted(.all),
        .categoriesRegistered(
            CategoriesRegistered(categories: [
                NotificationCategory(
                    id: "", hiddenPreviewsPlaceholder: "", actions: [NotificationAction(id: "", title: "", icon: "")])
            ])),
        .notificationActionPerformed(
            NotificationActionPerformed(notificationID: "n", gesture: .action(""), text: "")),
        .routeLocationsInserted(
            RouteLocationsInserted(
                routeID: "r",
                points: [
                    RoutePoint(
                        time: Timestamp(microseconds: -1), latitude: -0.0, longitude: .infinity, altitude: -.infinity,
                        horizontalAccuracy: -1, verticalAccuracy: 0, speed: 0, course: 0)
                ])),
    ]
}
