import EventStore
import FocusCore
import FocusWire
import Foundation
import PostgresClient
import SeededNumbers
import Support

/// The lives of a few users in one partition, made from a seed: events of every kind, accepted or refused as validation
/// decides.
struct RandomHistory {
    static let partition = Partition(0)
    let users: [UserID]
    private(set) var events: [LoggedEvent] = []
    /// For each user, the state after each event, beginning with version 0.
    private(set) var states: [UserID: [UserState]] = [:]
    private var random: SplitMix64
    private var sequences: [UserID: Int64] = [:]
    private var now: Int64 = 1_760_000_000_000_000
    /// Types that no random event has.
    private let without: Set<EventType>
    /// What logs before format 4 do not hold.
    static let laterTypes: Set<EventType> = [
        .alertsSilencedChanged, .governmentAlertPosted, .actionHandled, .deviceActivity, .deviceActivityEnded,
        .alertRingsElsewhere,
    ]

    private static let apps = ["com.example.mail", "com.example.run"].compactMap { AppID($0) }
    /// Includes ids that an index cannot hold as they are: with NUL, or too long.
    private static let ids = ["a", "b", "c/1", "e\u{301}", "\u{e9}", "nul\u{0}", String(repeating: "long", count: 600)]

    init(seed: UInt64, users count: Int, events total: Int, without: Set<EventType> = []) throws {
        self.without = without
        var random = SplitMix64(seed: seed)
        var users: [UserID] = []
        while users.count < count {
            let user = UserID(random.uuid())
            if Partition.of(user: user, count: StoreFixture.partitions) == Self.partition { users.append(user) }
        }
        self.users = users
        self.random = random
        for user in users {
            states[user] = [UserState(user: user)]
            for body in Self.beginning {
                for app in Self.apps { try append(user, app, body) }
            }
        }
        while events.count < total { try append(users.randomElement(using: &self.random)!, nil, nil) }
    }

    /// One user with the given events.
    init(_ bodies: [(AppID, EventBody)]) throws {
        try self.init(seed: 1, users: 1, events: 0)
        for (app, body) in bodies { try append(users[0], app, body) }
    }

    func state(of user: UserID, at version: Version) -> UserState { states[user]![Int(version.rawValue)] }
    func last(of user: UserID) -> UserState { states[user]!.last! }

    private static let beginning: [EventBody] =
        [
            .appRegistered(
                AppRegistered(
                    name: "App", build: 1, declaredIntents: [.sendMessage],
                    capabilities: [.communication, .timeSensitive, .siriKit, .critical],
                    focusStatusUsageDescription: "why"))
        ]
        + AuthorizationKind.allCases.map { .authorizationChanged(AuthorizationChanged(kind: $0, status: .authorized)) }

    /// Appends one event; a random one if `body` is nil.
    mutating func append(_ user: UserID, _ given: AppID?, _ body: EventBody?) throws {
        now += Int64.random(in: 0...3_000_000, using: &random)
        var state = last(of: user)
        var made = body ?? randomBody()
        while body == nil, without.contains(made.type) { made = randomBody() }
        if body == nil, let timely = activity(state) { made = timely }
        let body = made
        let isServers = body.type.traits.author == .server
        let sequence =
            isServers
            ? state.lastSequence(of: .server, incarnation: Incarnation(0)).rawValue + 1
            : sequences[user, default: 0] + 1
        let app = given ?? Self.apps.randomElement(using: &random)!
        var event = Event(
            version: state.version.next, device: isServers ? .server : DeviceID(user.uuid),
            incarnation: Incarnation(isServers ? 0 : 3),
            sequence: DeviceSequence(sequence), id: EventID(random.uuid()), app: body.isOfUser ? nil : app,
            occurredAt: Timestamp(microseconds: now - Int64.random(in: 0...9_000_000, using: &random)),
            recordedAt: Timestamp(microseconds: now), body: body)
        if let refusal = state.validate(event, scope: .system) {
            event.app = nil
            event.body = .eventRefused(
                EventRefused(type: body.type.rawValue, code: refusal.code.rawValue, message: refusal.message))
        }
        if !isServers { sequences[user] = sequence }
        _ = try state.apply(event)
        states[user]!.append(state)
        events.append(
            LoggedEvent(
                partition: Self.partition, offset: LogOffset(Int64(events.count)), user: user, version: event.version,
                device: event.device, incarnation: event.incarnation, sequence: event.sequence, id: event.id,
                type: event.body.type.rawValue, app: event.app, occurredAt: event.occurredAt,
                recordedAt: event.recordedAt, schemaVersion: 1, payload: PayloadCodec.encode(event.body)))
    }

    /// What the server logs of devices' use, now and then: no random number decides it, so that nothing else changes.
    private func activity(_ state: UserState) -> EventBody? {
        let number = events.count
        if !without.contains(.alertRingsElsewhere), let due = state.dueRings(upTo: Timestamp(microseconds: now)) {
            return .alertRingsElsewhere(AlertRingsElsewhere(dueAt: due))
        }
        guard number % 29 == 5, !without.contains(.deviceActivity) else { return nil }
        let device = DeviceID(users[0].uuid)
        if number % 3 == 0, let reportedAt = state.lastActivity(of: device, .system) {
            return .deviceActivityEnded(
                DeviceActivityEnded(device: device, scope: .system, reportedAt: reportedAt))
        }
        return .deviceActivity(
            DeviceActivity(
                device: device, scope: number % 4 == 0 ? .app(Self.apps[0]) : .system,
                deviceClass: number % 5 == 0 ? .desktop : .phone, app: number % 2 == 0 ? Self.apps[0] : nil))
    }

    private mutating func randomBody() -> EventBody {
        let id = Self.ids.randomElement(using: &random)!
        switch Int.random(in: 0..<24, using: &random) {
        case 18: return .preferenceChanged(PreferenceChanged(key: id, value: value()))
        case 19: return .preferenceReset(PreferenceReset(key: id))
        case 20:
            let defaults = PropertyDictionary([.init("a", value()), .init("b", .string("\"\\\n"))])
            return .preferencesRegistered(PreferencesRegistered(build: now % 3, defaults: defaults ?? .empty))
        case 0: return .focusConfigured(FocusConfigured(focusID: id, name: "Focus", allowsTimeSensitive: true))
        case 1: return .focusChanged(FocusChanged(focusID: id, isActive: Bool.random(using: &random)))
        case 2: return .focusRemoved(FocusRemoved(focusID: id))
        case 3 where Int.random(in: 0..<4, using: &random) == 0:
            return .deviceRevoked(DeviceRevoked(device: DeviceID(random.uuid())))
        case 3: return .audienceChanged(AudienceChanged(add: [users[0]], remove: []))
        case 4: return .notificationRead(NotificationIDs(ids: [id]))
        case 5: return .notificationRemoved(NotificationIDs(ids: [id]))
        case 6: return .badgeCleared
        case 7: return .routeStarted(RouteStarted(routeID: id, activity: "running", utcOffsetSeconds: 3_600))
        case 8: return .routeLocationsInserted(RouteLocationsInserted(routeID: id, points: points()))
        case 9:
            let start = Timestamp(microseconds: now)
            return .workoutSaved(WorkoutSaved(workoutID: id, activity: "running", start: start, end: start))
        case 10: return .routeFinished(RouteFinished(routeID: id, workoutID: id))
        case 11: return .routeDiscarded(RouteDiscarded(routeID: id))
        case 12, 13, 14, 15: return person(id)
        case 16, 17: return settings()
        default:
            return .notificationPosted(
                NotificationPosted(
                    notificationID: id, category: id, title: Bool.random(using: &random) ? "nul\u{0} in a title" : "T",
                    body: "\(now)", level: InterruptionLevel.allCases.randomElement(using: &random)!,
                    interactionID: Int.random(in: 0..<4, using: &random) == 0 ? id : nil))
        }
    }

    /// Donations, categories and actions.
    private mutating func person(_ id: String) -> EventBody {
        let person = Person(handle: Self.ids.randomElement(using: &random)!, displayName: "P", avatar: "a")
        switch Int.random(in: 0..<8, using: &random) {
        case 7:
            return .actionHandled(ActionHandled(id: events.suffix(20).randomElement(using: &random)!.id))
        case 0:
            let deletions: [InteractionDeleted] = [.ids([id]), .conversation(id), .all]
            return .interactionDeleted(deletions.randomElement(using: &random)!)
        case 1:
            let actions = [NotificationAction(id: "reply", title: "Reply", textInput: true)]
            return .categoriesRegistered(
                CategoriesRegistered(categories: [
                    NotificationCategory(id: id, hiddenPreviewsPlaceholder: "H", actions: actions)
                ]))
        case 2:
            let gesture: NotificationActionPerformed.Gesture = Bool.random(using: &random) ? .doubleTap : .action("x")
            return .notificationActionPerformed(
                NotificationActionPerformed(
                    notificationID: id, gesture: gesture, text: Bool.random(using: &random) ? "nul\u{0}" : nil))
        default:
            let message = SendMessage(
                conversationID: "c/1", groupName: "G", sender: person, recipients: [person, Person(handle: "b")])
            return .interactionDonated(
                InteractionDonated(
                    interactionID: id, direction: Bool.random(using: &random) ? .incoming : .outgoing,
                    intent: .sendMessage(message), startedAt: Timestamp(microseconds: now)))
        }
    }

    private mutating func settings() -> EventBody {
        let choice = SwitchChoice.allCases.randomElement(using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 5: return .alertsSilencedChanged(AlertsSilencedChanged(isSilenced: Bool.random(using: &random)))
        case 0: return .appMuted(AppMuted(until: Timestamp(microseconds: now + 5_000_000)))
        case 1: return .appUnmuted
        case 2:
            return .deliveryScheduleChanged(DeliveryScheduleChanged(times: [480, 1_080], timeZone: "Europe/Zurich"))
        default:
            return .notificationSettingsChanged(
                NotificationSettingsChanged(
                    deviceClass: DeviceClass.allCases.randomElement(using: &random), alerts: choice, badges: choice,
                    scheduledDelivery: choice))
        }
    }

    /// A preference value of any kind; the columns for people must accept all of them.
    private mutating func value() -> PropertyValue {
        let values: [PropertyValue] = [
            .bool(true), .integer(.min), .real(.nan), .real(1e300), .data([0, 255]), .array([.string("\u{E9}")]),
            .dictionary(.empty), .date(Timestamp(microseconds: now)),
        ]
        return values.randomElement(using: &random)!
    }

    private mutating func points() -> [RoutePoint] {
        (0..<Int.random(in: 1...40, using: &random)).map { _ in
            RoutePoint(
                time: Timestamp(microseconds: now - Int64.random(in: 0..<600_000_000, using: &random)),
                latitude: 47 + Double.random(in: 0..<0.1, using: &random), longitude: 8, altitude: 400,
                horizontalAccuracy: Double.random(in: -1...60, using: &random))
        }
    }
}

extension EventBody {
    fileprivate var isOfUser: Bool {
        switch self {
        case .focusConfigured, .focusRemoved, .focusChanged, .focusExpired, .deviceRevoked, .eventRefused,
            .deviceIncarnationBegan, .deviceIncarnationEnded, .deviceEventsLost, .deviceActivity,
            .deviceActivityEnded, .alertRingsElsewhere:
            true
        case .deliveryScheduleChanged, .summaryDelivered, .projectionRebuilt, .alertsSilencedChanged: true
        case .notificationSettingsChanged, .appMuted, .appUnmuted: false
        case .appRegistered, .authorizationChanged, .focusStatusReported, .audienceChanged, .notificationPosted,
            .notificationRead, .notificationRemoved, .badgeCleared, .routeStarted, .routeLocationsInserted,
            .interactionDonated, .interactionDeleted, .categoriesRegistered, .notificationActionPerformed,
            .workoutSaved, .routeFinished, .routeDiscarded, .preferencesRegistered, .preferenceChanged,
            .preferenceReset, .actionHandled, .governmentAlertPosted:
            false
        }
    }
}

extension RandomHistory {
    /// Appends all events, in batches.
    func log(on connection: PostgresConnection) throws {
        var rest = events[...]
        while !rest.isEmpty {
            let events = Array(rest.prefix(100))
            let outcomes = try LogWriter().appendToEnd(
                [PartitionAppend(partition: Self.partition, expectedOffset: events[0].offset, events: events)],
                on: connection)
            guard outcomes[Self.partition] != .behind else { throw EventStoreError.corrupt("the log is not empty") }
            rest = rest.dropFirst(100)
        }
    }
}
