import ArgumentParser
import FocusCore

/// The dearest thing that a device can ask of a server again and again, one kind of each.
enum AttackKind: String, CaseIterable, ExpressibleByArgument {
    /// Registers the categories of a full list anew: the hidden form of each notification is another.
    case categories
    /// Inserts points of a long route late, 3,000 at a time, into as many stretches as they reach.
    case latePoints
    /// Finishes long routes whose zigzag simplifies as slowly as any.
    case finishZigzag
    /// Sends an acknowledged frame of 1,000 events again.
    case repeats
    /// Clears a badge after naming as many unknown notifications as are remembered.
    case badges
    /// Renames an app with a full list of notifications without titles.
    case titles
    /// Changes settings of an app whose full list waits for a summary.
    case held
    /// Hides and shows previews of a full list.
    case previews
    /// Donates interactions and deletes them all.
    case donations
    /// Donates interactions with an intent that the app has not declared: events that are logged, and change nothing.
    case refusals
    /// Asks for all rows of a full list afresh.
    case resync
    /// Asks for the speed over all of a long finished route.
    case speeds
}

/// What an attack sends.
enum AttackMessage {
    case append([(AppID?, EventBody)])
    /// The last frame once more.
    case again
    case message(ClientMessage)
}

/// Makes the messages of an attack: first those that build up what makes the rest dear, then the attack itself,
/// over and over.
struct AttackMix {
    private static let listed = EventLimits.listedNotificationsPerApp
    private static let routePoints = 300_000
    private static let app = EventMix.app
    let kind: AttackKind
    /// µs since 1970.
    private let start: Int64
    private var step = 0
    /// The frames of the preparation that were not sent yet.
    private(set) var preparation: [AttackMessage] = []

    /// - Parameter start: when the first event happens, µs since 1970.
    init(_ kind: AttackKind, start: Int64) {
        (self.kind, self.start) = (kind, start)
        preparation = [.append(Self.registration(name: "Messages"))] + prepared()
        preparation.reverse()
    }

    /// The next message of the preparation; nil when it is through.
    mutating func prepare() -> AttackMessage? { preparation.popLast() }

    private static func registration(name: String) -> [(AppID?, EventBody)] {
        let registered = AppRegistered(
            name: name, build: 1, declaredIntents: [.sendMessage],
            capabilities: [.pushNotifications, .communication, .timeSensitive, .siriKit],
            focusStatusUsageDescription: "So that friends know when to write.")
        return [(app, .appRegistered(registered))]
            + AuthorizationKind.allCases.map {
                (app, .authorizationChanged(AuthorizationChanged(kind: $0, status: .authorized)))
            }
    }

    private func prepared() -> [AttackMessage] {
        switch kind {
        case .categories, .titles, .previews, .resync: list()
        case .held:
            [
                .append([
                    (nil, .deliveryScheduleChanged(DeliveryScheduleChanged(times: [farMinute], timeZone: "UTC"))),
                    settings { $0.scheduledDelivery = .on },
                ])
            ] + list()
        case .latePoints: route("late", zigzag: false, points: Self.routePoints)
        case .finishZigzag: (0..<4).flatMap { route("zigzag-\($0)", zigzag: true, points: 60_000) }
        case .speeds:
            route("long", zigzag: false, points: Self.routePoints) + [.append(finish("long"))]
        case .repeats: [.append((0..<1_000).map { _ in focus(isActive: true) })]
        case .badges, .donations, .refusals: []
        }
    }

    /// A minute of the day that is half a day away.
    private var farMinute: Int32 { Int32((start / 60_000_000 + 780) % 1_440) }

    private func list() -> [AttackMessage] {
        stride(from: 0, to: Self.listed, by: 500).map { first in
            .append(
                (first..<first + 500).map { number in
                    let post = NotificationPosted(
                        notificationID: "n\(number)", category: "c", body: LoadTexts.bodies[0])
                    return (Self.app, .notificationPosted(post))
                })
        }
    }

    private func settings(
        _ change: (inout NotificationSettingsChanged) -> Void
    ) -> (AppID?, EventBody) {
        var changed = NotificationSettingsChanged()
        change(&changed)
        return (Self.app, .notificationSettingsChanged(changed))
    }

    private func focus(isActive: Bool) -> (AppID?, EventBody) {
        (nil, .focusChanged(FocusChanged(focusID: "work", isActive: isActive)))
    }

    // MARK: Routes

    private func route(_ id: String, zigzag: Bool, points count: Int) -> [AttackMessage] {
        let started = RouteStarted(routeID: id, activity: "running", utcOffsetSeconds: 0)
        let workout = WorkoutSaved(
            workoutID: id, activity: "running", start: time(0), end: time(Double(count)))
        return [.append([(Self.app, .routeStarted(started)), (Self.app, .workoutSaved(workout))])]
            + stride(from: 0, to: count, by: EventLimits.pointsPerBatch).map { first in
                let points = (first..<first + EventLimits.pointsPerBatch).map {
                    zigzag ? zigzagPoint($0) : point(Double($0))
                }
                return .append([
                    (Self.app, .routeLocationsInserted(RouteLocationsInserted(routeID: id, points: points)))
                ])
            }
    }

    private func finish(_ id: String) -> [(AppID?, EventBody)] {
        [(Self.app, .routeFinished(RouteFinished(routeID: id, workoutID: id)))]
    }

    /// The routes lie in the past: a point a second.
    private func time(_ second: Double) -> Timestamp {
        Timestamp(microseconds: start - Int64(Self.routePoints) * 1_000_000 + Int64(second * 1e6))
    }

    private func point(_ second: Double) -> RoutePoint {
        RoutePoint(
            time: time(second), latitude: 45 + second * 2e-5, longitude: 10 + second * 1e-5, altitude: 40,
            horizontalAccuracy: 5, verticalAccuracy: 4)
    }

    /// Each point is farther from the line than the one before, on the other side: the simplifier takes them off one
    /// by one.
    private func zigzagPoint(_ index: Int) -> RoutePoint {
        let metres = 5 + Double(index % 1_024) * 0.4
        var point = point(Double(index))
        point.latitude = 45 + Double(index) * 1e-6
        point.longitude = 10 + (index.isMultiple(of: 2) ? 1 : -1) * metres / 78_000
        return point
    }

    // MARK: The attack

    mutating func next() -> AttackMessage {
        step += 1
        let isOdd = !step.isMultiple(of: 2)
        switch kind {
        case .categories:
            let category = NotificationCategory(id: "c", hiddenPreviewsPlaceholder: isOdd ? "A message" : "Messages")
            return .append([(Self.app, .categoriesRegistered(CategoriesRegistered(categories: [category])))])
        case .latePoints:
            let stride = Double(Self.routePoints / EventLimits.pointsPerBatch)
            let points = (0..<EventLimits.pointsPerBatch).map { index in
                point(Double(index) * stride + 0.001 * Double(step % 900 + 1) + Double(step / 900))
            }
            return .append([
                (Self.app, .routeLocationsInserted(RouteLocationsInserted(routeID: "late", points: points)))
            ])
        case .finishZigzag: return nextZigzag()
        case .repeats: return .again
        case .badges:
            let ids = (0..<10).map { batch in
                NotificationIDs(ids: (0..<1_000).map { "\(step)-\(batch)-\($0)" })
            }
            return .append(ids.map { (Self.app, .notificationRemoved($0)) } + [(Self.app, .badgeCleared)])
        case .titles: return .append([Self.registration(name: isOdd ? "Chat" : "Messages")[0]])
        case .held: return .append([settings { $0.timeSensitive = isOdd ? .off : .on }])
        case .previews: return .append([settings { $0.previews = isOdd ? .never : .always }])
        case .donations: return nextDonations()
        case .refusals: return donated { .startCall(StartCall(kind: .audio, participants: [$0])) }
        case .resync: return .message(.resync([.notifications]))
        case .speeds:
            let question = FetchQuestion.routeSpeed(
                AppItem(Self.app, "long"), from: time(0), to: time(Double(Self.routePoints - 1)))
            return .message(.fetch(FetchRequest(id: UInt64(step), question)))
        }
    }

    /// Finishes the routes that are prepared, then such as are made for it.
    private mutating func nextZigzag() -> AttackMessage {
        if step <= 4 { return .append(finish("zigzag-\(step - 1)")) }
        if preparation.isEmpty {
            let id = "more-\(step)"
            preparation = (route(id, zigzag: true, points: 30_000) + [.append(finish(id))]).reversed()
        }
        return preparation.popLast() ?? .again
    }

    private func nextDonations() -> AttackMessage {
        if step.isMultiple(of: 11) { return .append([(Self.app, .interactionDeleted(.all))]) }
        return donated { person in
            .sendMessage(SendMessage(conversationID: "c\(person.handle)", recipients: [person]))
        }
    }

    private func donated(_ intent: (Person) -> InteractionIntent) -> AttackMessage {
        .append(
            (0..<1_000).map { number in
                let donated = InteractionDonated(
                    interactionID: "\(step)-\(number)", direction: .outgoing,
                    intent: intent(Person(handle: "p\(number % 50)")), startedAt: time(Double(number)))
                return (Self.app, .interactionDonated(donated))
            })
    }
}
