/// Elevation gain and loss with a hysteresis of 3 m (rule R5).
///
/// The altitudes, in order, are cut at their turning points: an extreme becomes a turning point once the altitude has
/// come back from it by 3 m or more. Gain is the sum of the rises between turning points, loss that of the falls; the
/// first and the last swing count when they are 3 m or more themselves. So noise below 3 m changes nothing, wherever on
/// a climb it is, and a steady climb counts in full: 0, 1, 2, 3, 4, 5 is a gain of 5 m, not of 3.
struct ElevationAccumulator: Hashable, Sendable {
    /// Metres. A micrometre less than 3 m, because 103.1 − 100.1 is less than 3 in binary.
    static let threshold = 3.0 - 1e-6

    /// What the next altitudes' part in gain and loss depends on.
    struct State: Hashable, Sendable {
        enum Direction: Hashable { case none, up, down }

        /// False before the first altitude.
        var isStarted = false
        var direction = Direction.none
        /// The lowest and highest altitude since the last turning point (since the start while there is none).
        var low = 0.0
        var high = 0.0
    }

    private(set) var state: State
    /// Swings that have ended.
    private var rises = RouteLength.zero
    private var falls = RouteLength.zero
    /// The lowest and the highest of all altitudes that were added; nil before the first.
    private(set) var range: ClosedRange<Double>?

    /// - Parameter state: what came before, whose swings are not counted here.
    init(after state: State = State()) { self.state = state }

    mutating func add(_ altitude: Double) {
        include(altitude...altitude)
        guard state.isStarted else {
            state = State(isStarted: true, low: altitude, high: altitude)
            return
        }
        let turnsDown = state.high - altitude >= Self.threshold
        let turnsUp = altitude - state.low >= Self.threshold
        switch state.direction {
        case .none:
            state.low = min(state.low, altitude)
            state.high = max(state.high, altitude)
            if turnsUp {
                (state.direction, state.high) = (.up, altitude)
            } else if turnsDown {
                (state.direction, state.low) = (.down, altitude)
            }
        case .up:
            state.high = max(state.high, altitude)
            if turnsDown {
                rises += RouteLength(metres: state.high - state.low)
                (state.direction, state.low) = (.down, altitude)
            }
        case .down:
            state.low = min(state.low, altitude)
            if turnsUp {
                falls += RouteLength(metres: state.high - state.low)
                (state.direction, state.high) = (.up, altitude)
            }
        }
    }

    /// Adds altitudes that were added to `next`, which began after this one's state.
    mutating func join(_ next: ElevationAccumulator) {
        state = next.state
        rises += next.rises
        falls += next.falls
        if let other = next.range { include(other) }
    }

    /// Adds altitudes among which nothing turns; `state` is the one after them.
    mutating func add(_ steady: AltitudeSwings, _ state: State) {
        self.state = state
        if let other = steady.range { include(other) }
    }

    private mutating func include(_ other: ClosedRange<Double>) {
        guard let known = range else {
            range = other
            return
        }
        range = min(known.lowerBound, other.lowerBound)...max(known.upperBound, other.upperBound)
    }

    /// Metres, with the swing that is still going on.
    var gain: Double { (state.direction == .up ? rises + swing : rises).metres }
    var loss: Double { (state.direction == .down ? falls + swing : falls).metres }

    private var swing: RouteLength { RouteLength(metres: state.high - state.low) }
}

/// How far altitudes that follow one another rise and fall. It tells whether they could turn an `ElevationAccumulator`
/// without going through them.
struct AltitudeSwings: Hashable, Sendable {
    /// The lowest and the highest altitude; nil while there is none.
    private(set) var range: ClosedRange<Double>?
    /// The greatest rise, and the greatest fall, from any altitude to any later one, in metres.
    private var greatestRise = 0.0
    private var greatestFall = 0.0

    mutating func add(_ altitude: Double) {
        guard let known = range else {
            range = altitude...altitude
            return
        }
        greatestRise = max(greatestRise, altitude - known.lowerBound)
        greatestFall = max(greatestFall, known.upperBound - altitude)
        range = min(known.lowerBound, altitude)...max(known.upperBound, altitude)
    }

    /// The state after these altitudes, if they only move its ends; nil when one of them turns it, or may be the first.
    func steady(after state: ElevationAccumulator.State) -> ElevationAccumulator.State? {
        guard let range else { return state }
        guard state.isStarted else { return nil }
        let threshold = ElevationAccumulator.threshold
        let turnsDown = max(greatestFall, state.high - range.lowerBound) >= threshold
        let turnsUp = max(greatestRise, range.upperBound - state.low) >= threshold
        var next = state
        switch state.direction {
        case .none:
            guard !turnsUp, !turnsDown else { return nil }
            next.low = min(state.low, range.lowerBound)
            next.high = max(state.high, range.upperBound)
        case .up:
            guard !turnsDown else { return nil }
            next.high = max(state.high, range.upperBound)
        case .down:
            guard !turnsUp else { return nil }
            next.low = min(state.low, range.lowerBound)
        }
        return next
    }
}
