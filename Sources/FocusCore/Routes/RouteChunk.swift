/// A stretch of a route's accepted points, sorted by time: what one row of `route_points` holds. An insert rewrites the
/// chunks that it touches, so a chunk is small.
struct RouteChunk: Hashable, Sendable {
    static let capacity = 256

    /// Numbers chunks in the order in which they were made, which is not that of their times.
    let id: Int
    var points: [RoutePoint]

    init(id: Int, points: [RoutePoint] = []) {
        self.id = id
        self.points = points
    }
}

/// The key of a row of `route_points`: `<route>/<chunk>`.
public struct RouteChunkKey: Hashable, Sendable, CustomStringConvertible {
    public var routeID: String
    public var chunk: Int

    public init(routeID: String, chunk: Int) {
        self.routeID = routeID
        self.chunk = chunk
    }

    public var description: String { "\(routeID)/\(chunk)" }

    /// Nil when `text` is not such a key. A route id may have slashes of its own: the last one divides.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let digits = text[bytes.index(after: slash)...]
        guard let chunk = Int(digits), chunk >= 0, String(chunk) == digits else { return nil }
        self.init(routeID: String(text[..<slash]), chunk: chunk)
    }
}
