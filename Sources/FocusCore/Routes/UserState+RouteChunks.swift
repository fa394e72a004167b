extension UserState {
    /// A route's points in chunks, as `RouteTrack(chunks:counts:)` takes them. Empty when they are not in the state:
    /// those of a route that was finished when the state was loaded stay in their table.
    public func routeChunks(of routeID: String, in app: AppID) -> [Int: [UInt8]] {
        guard let route = record(of: app)?.routes[ByteText(routeID)] else { return [:] }
        var chunks: [Int: [UInt8]] = [:]
        for id in route.chunkIDs { chunks[id] = route.chunk(id) }
        return chunks
    }
}
