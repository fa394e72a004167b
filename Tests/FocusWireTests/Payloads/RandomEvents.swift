import FocusCore
import SeededNumbers

extension SplitMix64 {
    /// A random event of a type that has a direct payload decoder.
    mutating func event() -> EventBody {
        switch Int.random(in: 0...3, using: &self) {
        case 0: .notificationPosted(notification())
        case 1:
            .notificationRead(NotificationIDs(ids: (0..<Int.random(in: 0...4, using: &self)).map { _ in text() }))
        case 2: .notificationRemoved(NotificationIDs(ids: [text()]))
        default:
            .routeLocationsInserted(
                RouteLocationsInserted(
                    routeID: text(), points: (0..<Int.random(in: 0...5, using: &self)).map { _ in point() }))
        }
    }

    private mutating func notification() -> NotificationPosted {
        NotificationPosted(
            notificationID: text(), category: maybe { $0.text() }, thread: maybe { $0.text() },
            title: maybe { $0.text() },
            subtitle: maybe { $0.text() }, body: text(),
            level: InterruptionLevel.allCases.randomElement(using: &self) ?? .active,
            relevance: double(), marketing: Bool.random(using: &self), interactionID: maybe { $0.text() },
            eventAt: maybe { Timestamp(microseconds: $0.int()) }, sound: maybe { $0.text() })
    }

    private mutating func point() -> RoutePoint {
        RoutePoint(
            time: Timestamp(microseconds: int()), latitude: double(), longitude: double(), altitude: double(),
            horizontalAccuracy: double(), verticalAccuracy: double(), speed: double(), course: double())
    }

    /// Any number except NaN, which does not equal itself.
    private mutating func double() -> Double {
        let special: [Double] = [0, -0.0, -1, 1, 50, 50.01, .infinity, -.infinity, .leastNonzeroMagnitude]
        return special.randomElement(using: &self) ?? 0
    }
}
