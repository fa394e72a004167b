import SeededNumbers

@testable import FocusCore

/// Random histories with few ids and few times, so that events concern the same things often.
enum HistoryMaker {
    static let apps: [AppID] = [.chat, .mail]
    static let devices: [DeviceID] = [.phone, .tablet, .watch]

    /// Two apps that may notify and record routes.
    static func ready() -> Stage {
        var stage = Stage.ready(apps)
        for app in apps {
            for kind in [AuthorizationKind.location, .shareRoutes, .shareWorkouts, .readRoutes, .readWorkouts] {
                stage.authorize(kind, .authorized, app, at: 0)
            }
        }
        return stage
    }

    /// Sends a random event from one of three devices; their clocks are up to 20 s behind `second`.
    static func step(_ stage: inout Stage, at second: Double, using random: inout SplitMix64) {
        let app = apps.randomElement(using: &random)!
        let device = devices.randomElement(using: &random)!
        let occurred = second + Double(Int.random(in: -20...0, using: &random))
        let body = body(at: occurred, using: &random)
        let isOfApp = EventScopeOfTests.needsApp(body, using: &random)
        stage.send(body, app: isOfApp ? app : nil, from: device, at: occurred, recorded: second)
        switch Int.random(in: 0..<40, using: &random) {
        case 0: stage.use(.phone, app: apps.randomElement(using: &random), at: second)
        case 1: stage.use(.tablet, .tablet, at: second)
        case 2: stage.endUse(.phone, at: second)
        default: break
        }
        if Int.random(in: 0..<3, using: &random) == 0 { stage.fireTimers(at: second) }
    }

    private static func body(at second: Double, using random: inout SplitMix64) -> EventBody {
        func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
        let id = "n\(pick(6))"
        switch pick(42) {
        case 34...: return PeopleMaker.body(at: second, using: &random)
        case 32, 33: return preference(pick(6), pick(4), pick(3))
        case 20, 21, 22, 23: return route(at: second, using: &random)
        case 24...31: return settings(at: second, using: &random)
        case 0: return registration(pick(8))
        case 1, 2:
            let kind = [AuthorizationKind.notifications, .focusStatus, .marketing, .marketing][pick(4)]
            let status: AuthorizationStatus = [
                .authorized, .authorized, .denied, kind == .notifications ? .provisional : .restricted,
            ][pick(4)]
            return .authorizationChanged(AuthorizationChanged(kind: kind, status: status))
        case 3: return configuration(pick(3), pick(16))
        case 4: return .focusRemoved(FocusRemoved(focusID: "f\(pick(3))"))
        case 5, 6, 7:
            let end: Timestamp? = pick(2) == 0 ? nil : .at(second + Double(pick(30)))
            return .focusChanged(FocusChanged(focusID: "f\(pick(3))", isActive: pick(3) > 0, endsAt: end))
        case 8: return .focusStatusReported(FocusStatusReported(isFocused: [nil, true, false][pick(3)]))
        case 9:
            return .audienceChanged(
                pick(2) == 0 ? AudienceChanged(add: [.bob, .ada]) : AudienceChanged(remove: [.bob]))
        case 10, 11, 12: return .notificationRead(NotificationIDs(ids: [id, "n\(pick(6))"]))
        case 13 where pick(2) == 0:
            return .governmentAlertPosted(
                GovernmentAlertPosted(NotificationPosted(notificationID: id, title: "G", body: "B", level: .critical)))
        case 13: return .notificationRemoved(NotificationIDs(ids: [id]))
        case 14: return pick(3) == 0 ? .badgeCleared : .notificationRemoved(NotificationIDs(ids: ["n\(pick(6))"]))
        default:
            return .notificationPosted(
                NotificationPosted(
                    notificationID: id, category: pick(3) == 0 ? "c\(pick(2))" : nil,
                    title: pick(3) == 0 ? nil : "T\(pick(3))", body: "B",
                    level: InterruptionLevel.allCases.randomElement(using: &random)!, relevance: Double(pick(3)) / 2,
                    marketing: pick(4) == 0)
            )
        }
    }

    private static func route(at second: Double, using random: inout SplitMix64) -> EventBody {
        let id = "r\(Int.random(in: 0..<3, using: &random))"
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1: return .routeStarted(RouteStarted(routeID: id, activity: "run", utcOffsetSeconds: 0))
        case 2:
            return .workoutSaved(WorkoutSaved(workoutID: "w", activity: "run", start: .at(0), end: .at(second + 99)))
        case 3: return .routeFinished(RouteFinished(routeID: id, workoutID: "w"))
        case 4: return .routeDiscarded(RouteDiscarded(routeID: id))
        default:
            // Enough points for several chunks, in any order.
            let points = (0..<60).map { _ in
                RouteFixtures.point(at: Double.random(in: 0...2_000, using: &random), north: second)
            }
            return .routeLocationsInserted(RouteLocationsInserted(routeID: id, points: points))
        }
    }

    private static func settings(at second: Double, using random: inout SplitMix64) -> EventBody {
        func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
        func choice() -> SwitchChoice? { pick(2) == 0 ? nil : SwitchChoice.allCases.randomElement(using: &random)! }
        switch pick(18) {
        case 17: return .alertsSilencedChanged(AlertsSilencedChanged(isSilenced: pick(4) == 0))
        case 0, 1: return .appMuted(AppMuted(until: .at(second + Double(pick(12)))))
        case 2, 3: return .appUnmuted
        case 4, 5, 6, 7, 8:
            let times: [Set<Int32>] = [[], Set((1...24).map { $0 * 8 }), [30, 90, 150]]
            return .deliveryScheduleChanged(
                DeliveryScheduleChanged(times: times[min(2, pick(7) / 2)], timeZone: "Z\(pick(2))"))
        default:
            // Alerts are rarely off; otherwise none would be held.
            return .notificationSettingsChanged(
                NotificationSettingsChanged(
                    deviceClass: pick(2) == 0 ? nil : DeviceClass.allCases.randomElement(using: &random)!,
                    alerts: pick(16) == 0 ? .off : .follow, badges: choice(), sounds: choice(),
                    previews: pick(3) == 0 ? PreviewsChoice.allCases.randomElement(using: &random)! : nil,
                    timeSensitive: choice(),
                    scheduledDelivery: pick(3) > 0 ? .on : choice()))
        }
    }

    private static func preference(_ kind: Int, _ key: Int, _ value: Int) -> EventBody {
        let value: PropertyValue = [.integer(1), .real(1), .bool(true)][value]
        switch kind {
        case 0: return .preferenceReset(PreferenceReset(key: "p\(key)"))
        case 1:
            let entries = [PropertyDictionary.Entry("p\(key)", value), .init("p9", .string("d\(key)"))]
            return .preferencesRegistered(
                PreferencesRegistered(build: Int64(key), defaults: PropertyDictionary(entries) ?? .empty))
        default: return .preferenceChanged(PreferenceChanged(key: "p\(key)", value: value))
        }
    }

    private static func registration(_ bits: Int) -> EventBody {
        .appRegistered(
            AppRegistered(
                name: "A\(bits & 1)", build: 1, declaredIntents: bits & 2 == 0 ? [.sendMessage, .startCall] : [],
                capabilities: bits & 2 == 0 ? Stage.allCapabilities : [.communication],
                focusStatusUsageDescription: bits & 4 == 0 ? "why" : nil))
    }

    private static func configuration(_ focus: Int, _ bits: Int) -> EventBody {
        .focusConfigured(
            FocusConfigured(
                focusID: "f\(focus)", name: "F", allowedApps: bits & 1 == 0 ? [] : [.chat],
                allowedPeople: ["b", "a", "p1"],
                allowsTimeSensitive: bits & 2 == 0, sharesStatus: bits & 12 != 0))
    }
}

enum EventScopeOfTests {
    static func needsApp(_ body: EventBody, using random: inout SplitMix64) -> Bool {
        switch body {
        case .focusConfigured, .focusRemoved, .focusChanged, .focusExpired, .deviceRevoked, .eventRefused,
            .deviceIncarnationBegan, .deviceIncarnationEnded, .deviceEventsLost, .deviceActivity,
            .deviceActivityEnded, .alertRingsElsewhere:
            false
        case .deliveryScheduleChanged, .summaryDelivered, .projectionRebuilt, .alertsSilencedChanged: false
        // The settings of one app or of all apps.
        case .notificationSettingsChanged: Int.random(in: 0..<3, using: &random) > 0
        default: true
        }
    }
}

extension [Event] {
    /// The events in another order of arrival, a few of a device at a time; each device's own order stays.
    func inAnotherOrder(using random: inout SplitMix64) -> [Event] {
        var queues = HistoryMaker.devices.map { device in filter { $0.device == device }[...] }
        var result: [Event] = []
        while let queue = queues.indices.filter({ !queues[$0].isEmpty }).randomElement(using: &random) {
            let count = Swift.min(queues[queue].count, Int.random(in: 1...9, using: &random))
            result += queues[queue].prefix(count)
            queues[queue] = queues[queue].dropFirst(count)
        }
        return result
    }
}
