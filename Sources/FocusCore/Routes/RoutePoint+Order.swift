extension RoutePoint {
    /// Whether the altitude means anything: its accuracy is not negative.
    public var isAltitudeKnown: Bool { verticalAccuracy >= 0 }

    /// Rule R3's total order over accepted points: by time; at one microsecond the smaller horizontal accuracy first,
    /// then the smaller tuple of the other fields in the order of their declaration. The first one stays.
    func precedes(_ other: RoutePoint) -> Bool {
        if time != other.time { return time < other.time }
        if horizontalAccuracy != other.horizontalAccuracy { return horizontalAccuracy < other.horizontalAccuracy }
        if latitude != other.latitude { return latitude < other.latitude }
        return (longitude, altitude, verticalAccuracy, speed, course)
            < (other.longitude, other.altitude, other.verticalAccuracy, other.speed, other.course)
    }

    /// The same point with +0 for every −0: equal numbers must have equal bits, or which of two equal points came first
    /// would show in the stored bytes.
    var withoutNegativeZeros: RoutePoint {
        RoutePoint(
            time: time, latitude: latitude + 0, longitude: longitude + 0, altitude: altitude + 0,
            horizontalAccuracy: horizontalAccuracy + 0, verticalAccuracy: verticalAccuracy + 0, speed: speed + 0,
            course: course + 0)
    }
}

extension Timestamp {
    /// Microseconds from `earlier` to here; saturates, because a device may send any 64 bits.
    package func microseconds(since earlier: Timestamp) -> Int64 {
        let (difference, overflow) = microseconds.subtractingReportingOverflow(earlier.microseconds)
        return overflow ? (microseconds > earlier.microseconds ? .max : .min) : difference
    }
}
