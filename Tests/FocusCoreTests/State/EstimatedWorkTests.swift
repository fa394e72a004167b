import Testing

@testable import FocusCore

/// What folding an event is estimated to take, against what it took (`UserState.work`).
@Suite struct EstimatedWorkTests {
    private static let count = 2_000

    /// A user with a list of notifications, whose alerts wait for a summary; with donations, and an open route.
    private static let stage: Stage = {
        var stage = Stage.ready()
        for kind in AuthorizationKind.allCases { stage.authorize(kind, .authorized, at: 0) }
        stage.send(.deliveryScheduleChanged(DeliveryScheduleChanged(times: [600], timeZone: "UTC")), at: 1)
        stage.send(settings { $0.scheduledDelivery = .on }, app: .chat, at: 1)
        for index in 0..<count {
            let post = NotificationPosted(notificationID: "n\(index)", category: "c", body: "b")
            stage.send(.notificationPosted(post), app: .chat, at: 2 + Double(index) * 0.001)
            let message = SendMessage(conversationID: "c", recipients: [Person(handle: "p\(index % 20)")])
            let donated = InteractionDonated(
                interactionID: "i\(index)", direction: .outgoing, intent: .sendMessage(message), startedAt: .at(1))
            stage.send(.interactionDonated(donated), app: .chat, at: 2 + Double(index) * 0.001)
        }
        stage.send(
            .routeStarted(RouteStarted(routeID: "r", activity: "running", utcOffsetSeconds: 0)), app: .chat, at: 9)
        for first in stride(from: 0, to: 2 * count, by: 1_000) {
            stage.send(insert((first..<first + 1_000).map { Double(2 * $0) }), app: .chat, at: 10 + Double(first))
        }
        stage.send(
            .workoutSaved(WorkoutSaved(workoutID: "w", activity: "running", start: .at(0), end: .at(90_000))),
            app: .chat,
            at: 90_000)
        return stage
    }()

    private static func insert(_ seconds: [Double]) -> EventBody {
        let points = seconds.map {
            RoutePoint(
                time: .at($0), latitude: 45 + $0 * 2e-5, longitude: 10, altitude: 40, horizontalAccuracy: 5,
                verticalAccuracy: 4)
        }
        return .routeLocationsInserted(RouteLocationsInserted(routeID: "r", points: points))
    }

    private static func settings(_ change: (inout NotificationSettingsChanged) -> Void) -> EventBody {
        var changed = NotificationSettingsChanged()
        change(&changed)
        return .notificationSettingsChanged(changed)
    }

    /// Events that are dear because of what the user has; without an app, those of all apps.
    private static let dear: [(name: String, body: EventBody, app: AppID?)] = [
        (
            "renamed",
            .appRegistered(
                AppRegistered(name: "Talk", build: 2, declaredIntents: [], capabilities: [])), .chat
        ),
        (
            "categories",
            .categoriesRegistered(
                CategoriesRegistered(categories: [NotificationCategory(id: "c", hiddenPreviewsPlaceholder: "A message")]
                )),
            .chat
        ),
        ("badge cleared", .badgeCleared, .chat),
        ("previews", settings { $0.previews = .never }, .chat),
        ("default previews", settings { $0.previews = .never }, nil),
        ("no summary", settings { $0.scheduledDelivery = .off }, .chat),
        ("no schedule", .deliveryScheduleChanged(DeliveryScheduleChanged(times: [], timeZone: "")), nil),
        ("no notifications", .authorizationChanged(AuthorizationChanged(kind: .notifications, status: .denied)), .chat),
        ("interactions deleted", .interactionDeleted(.all), .chat),
        ("late points", insert((0..<400).map { Double(20 * $0 + 1) }), .chat),
        ("finished", .routeFinished(RouteFinished(routeID: "r", workoutID: "w")), .chat),
    ]

    @Test(
        "Q1: the work of dear events is estimated from a few counts, at not much less or more than it is",
        arguments: dear.indices)
    func estimates(_ index: Int) {
        let (name, body, app) = Self.dear[index]
        var stage = Self.stage
        let before = stage.state.work
        let event = event(body, app, in: stage)
        let estimate = stage.state.estimatedWork(of: event)
        let refusal = stage.send(body, app: app, at: 100_000)
        #expect(refusal == nil, "\(name)")
        let work = stage.state.work - before
        #expect(work > 1_000, "\(name) is not dear: \(work)")
        #expect(estimate >= work / 2 && estimate <= 15 * work, "\(name): \(estimate) for \(work)")
    }

    @Test("Q1: a name that differs by its bytes alone is a new one, and as dear")
    func otherBytes() {
        var stage = Stage.ready()
        stage.register(name: "Caf\u{E9}", at: 1)
        stage.post("n", at: 2)
        let renamed = AppRegistered(name: "Cafe\u{301}", build: 2, declaredIntents: [], capabilities: [])
        #expect(stage.state.estimatedWork(of: event(.appRegistered(renamed), .chat, in: stage)) > 0)
    }

    private static let cheap: [(name: String, body: EventBody, app: AppID?)] = [
        ("post", .notificationPosted(NotificationPosted(notificationID: "new", body: "b")), .chat),
        ("read", .notificationRead(NotificationIDs(ids: ["n1"])), .chat),
        (
            "the same name",
            .appRegistered(
                AppRegistered(name: "Chat", build: 2, declaredIntents: [], capabilities: [])), .chat
        ),
        ("points at the end", insert([10_000, 10_001]), .chat),
        ("one deleted", .interactionDeleted(.ids(["i1"])), .chat),
        ("of an app that is not known", .badgeCleared, .mail),
    ]

    @Test("Q1: an event that costs what its own size says is estimated at nothing", arguments: cheap.indices)
    func free(_ index: Int) {
        let (name, body, app) = Self.cheap[index]
        let stage = Self.stage
        #expect(stage.state.estimatedWork(of: event(body, app, in: stage)) == 0, "\(name)")
    }

    private func event(_ body: EventBody, _ app: AppID?, in stage: Stage) -> Event {
        Event(
            version: stage.state.version.next, device: .phone, incarnation: Incarnation(1), sequence: DeviceSequence(1),
            id: EventID(Stage.uuid(1)), app: app, occurredAt: .at(100_000), recordedAt: .at(100_000), body: body)
    }
}
