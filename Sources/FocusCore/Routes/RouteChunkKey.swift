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
