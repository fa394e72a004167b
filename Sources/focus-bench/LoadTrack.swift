import FocusCore
import SeededNumbers

/// A run: a point a second, about 3 m apart, with the noise that receivers have.
struct LoadTrack {
    private var time: Int64
    private var latitude: Double
    private var longitude: Double
    private var altitude = 40.0

    /// - Parameter start: µs since 1970.
    init(start: Int64, generator: inout SplitMix64) {
        time = start
        latitude = Double.random(in: 45...55, using: &generator)
        longitude = Double.random(in: 0...20, using: &generator)
    }

    mutating func next(_ count: Int, _ generator: inout SplitMix64) -> [RoutePoint] {
        (0..<count).map { _ in
            time += 1_000_000
            latitude += Double.random(in: 1e-5...3e-5, using: &generator)
            longitude += Double.random(in: 1e-5...3e-5, using: &generator)
            altitude = max(0, altitude + Double.random(in: -0.5...0.5, using: &generator))
            return RoutePoint(
                time: Timestamp(microseconds: time), latitude: latitude, longitude: longitude, altitude: altitude,
                horizontalAccuracy: Double.random(in: 3...8, using: &generator), verticalAccuracy: 4,
                speed: Double.random(in: 2.5...3.5, using: &generator), course: 45)
        }
    }
}

/// Titles and bodies of notifications.
enum LoadTexts {
    static let names = ["Anna", "Ben Okafor", "Chiara", "Dmitri", "Emma and Finn", "Grace", "Haruto", "Ines"]
    static let bodies = [
        "Are we still on for lunch at half past twelve tomorrow?",
        "The build is green again; I merged the fix for the time zone bug.",
        "Can you pick up milk and bread on your way home?",
        "Running ten minutes late, please start without me, sorry!",
        "Your parcel will be delivered today between 14:00 and 16:00.",
        "Photos from the weekend are in the shared album now.",
        "Meeting moved to room 4.12, same time. Bring the draft please.",
        "Don’t forget: dentist on Thursday, 9:15, bring your card.",
    ]
}
