/// Which points count (rule R2). The log keeps all of them; the fold keeps those that are believable.
public enum RouteFilter {
    /// Metres; a point exactly this accurate is kept.
    public static let maximumHorizontalAccuracy = 50.0
    /// Metres from the ellipsoid. Beyond it an altitude is as impossible as latitude 91, and sums could overflow.
    public static let maximumAltitude = 10_000_000.0

    /// Why `point` is dropped; nil when it is accepted. Where there are several reasons, the first in
    /// `RouteDropReason`'s order is given, so that each dropped point is counted once.
    ///
    /// Every number must be finite, also those that the device calls unknown: a NaN has no order, so it could not take
    /// part in rule R3's choice among duplicates.
    public static func reasonToDrop(_ point: RoutePoint, _ rules: FoldRules = .current) -> RouteDropReason? {
        guard
            point.latitude.isFinite, point.longitude.isFinite, point.altitude.isFinite,
            point.horizontalAccuracy.isFinite, point.verticalAccuracy.isFinite, point.speed.isFinite,
            point.course.isFinite
        else { return .notFinite }
        guard
            abs(point.latitude) <= 90, abs(point.longitude) <= 180,
            !point.isAltitudeKnown || abs(point.altitude) <= maximumAltitude
        else { return .impossible }
        guard (0...rules.maximumHorizontalAccuracy).contains(point.horizontalAccuracy) else { return .inaccurate }
        return nil
    }
}

/// Why a point was dropped (rule R2).
public enum RouteDropReason: Hashable, Sendable, CaseIterable {
    /// NaN or infinity in any field.
    case notFinite
    /// Latitude beyond ±90°, longitude beyond ±180°, or a known altitude beyond `RouteFilter.maximumAltitude`.
    case impossible
    /// Horizontal accuracy unknown (negative) or worse than `RouteFilter.maximumHorizontalAccuracy`.
    case inaccurate
}
