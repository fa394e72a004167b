/// Elevation gain and loss with a hysteresis of 3 m (rule R5).
///
/// The altitudes, in order, are cut at their turning points: an extreme becomes a turning point once the altitude has
/// come back from it by 3 m or more. Gain is the sum of the rises between turning points, loss that of the falls; the
/// first and the last swing count when they are 3 m or more themselves. So noise below 3 m changes nothing, wherever on
/// a climb it is, and a steady climb counts in full: 0, 1, 2, 3, 4, 5 is a gain of 5 m, not of 3.
struct ElevationAccumulator: Hashable, Sendable {
    /// Metres. A micrometre less than 3 m, because 103.1 − 100.1 is less than 3 in binary.
    static let threshold = 3.0 - 1e-6

    private enum Direction: Hashable { case none, up, down }

    private var direction = Direction.none
    /// The lowest and highest altitude since the last turning point (since the start while there is none).
    private var low = 0.0
    private var high = 0.0
    /// Swings that have ended.
    private var rises = 0.0
    private var falls = 0.0
    /// Of all altitudes; nil before the first.
    private(set) var range: ClosedRange<Double>?

    mutating func add(_ altitude: Double) {
        guard let known = range else {
            (low, high, range) = (altitude, altitude, altitude...altitude)
            return
        }
        if altitude < known.lowerBound { range = altitude...known.upperBound }
        if altitude > known.upperBound { range = known.lowerBound...altitude }
        let turnsDown = high - altitude >= Self.threshold
        let turnsUp = altitude - low >= Self.threshold
        switch direction {
        case .none:
            low = min(low, altitude)
            high = max(high, altitude)
            if turnsUp {
                (direction, high) = (.up, altitude)
            } else if turnsDown {
                (direction, low) = (.down, altitude)
            }
        case .up:
            high = max(high, altitude)
            if turnsDown {
                rises += high - low
                (direction, low) = (.down, altitude)
            }
        case .down:
            low = min(low, altitude)
            if turnsUp {
                falls += high - low
                (direction, high) = (.up, altitude)
            }
        }
    }

    /// Metres, with the swing that is still going on.
    var gain: Double { direction == .up ? rises + (high - low) : rises }
    var loss: Double { direction == .down ? falls + (high - low) : falls }
}
