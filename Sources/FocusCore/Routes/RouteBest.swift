/// A best that one route holds: the longest, or the fastest over a length (rule R7).
public struct RouteBest: Hashable, Sendable {
    public var app: AppID
    public var routeID: String
    public var start: Timestamp
    public var distanceMillimetres: Int64
    public var durationMicroseconds: Int64

    public init(
        app: AppID, routeID: String, start: Timestamp, distanceMillimetres: Int64, durationMicroseconds: Int64
    ) {
        self.app = app
        self.routeID = routeID
        self.start = start
        self.distanceMillimetres = distanceMillimetres
        self.durationMicroseconds = durationMicroseconds
    }

    func isLonger(than other: Self) -> Bool {
        guard distanceMillimetres == other.distanceMillimetres else {
            return distanceMillimetres > other.distanceMillimetres
        }
        return precedes(other)
    }

    func isFaster(than other: Self) -> Bool {
        guard durationMicroseconds == other.durationMicroseconds else {
            return durationMicroseconds < other.durationMicroseconds
        }
        return precedes(other)
    }

    /// Decides between equals, and by nothing that depends on the order of arrival.
    private func precedes(_ other: Self) -> Bool {
        if start != other.start { return start < other.start }
        let apps = ByteText.compare(app.rawValue, other.app.rawValue)
        return apps == 0 ? ByteText.precedes(routeID, other.routeID) : apps < 0
    }
}
