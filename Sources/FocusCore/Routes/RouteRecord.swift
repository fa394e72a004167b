/// A route in the state: its row, and its points while it accepts more.
struct RouteRecord: Sendable {
    /// The row as it was last written.
    var row: RouteRow
    /// The points of an open route; nil once it is finished.
    private(set) var track: RouteTrack?
    /// The chunks of a finished route, as their rows hold them: nothing in the fold reads them again. Empty when they
    /// were not loaded.
    private(set) var sealedChunks: [Int: [UInt8]] = [:]

    init(_ row: RouteRow) {
        self.row = row
        track = RouteTrack()
    }

    /// Restores a route from its rows. Throws when the chunks of an open route do not make a track.
    init(_ row: RouteRow, chunks: [Int: [UInt8]]) throws(RouteTrackError) {
        self.row = row
        switch row.state {
        case .open: track = try RouteTrack(chunks: chunks, counts: row.aggregates.counts)
        case .finished: sealedChunks = chunks
        }
    }

    /// Inserts points and returns the ids of the chunks that changed.
    mutating func insert(_ points: [RoutePoint], _ rules: FoldRules = .current) -> [Int] {
        guard track != nil else { return [] }
        track?.insert(points, rules)
        if let track { row.aggregates = track.aggregates }
        return track?.drainChangedChunkIDs() ?? []
    }

    /// Seals the route and attaches it to its workout for good (rule R4).
    /// - Returns: the work that it took (`FoldWork`); nil when it was sealed already and nothing changed.
    mutating func finish(_ body: RouteFinished) -> Int? {
        guard let track else { return nil }
        row.state = .finished
        row.workoutID = body.workoutID
        row.metadata = body.metadata
        row.aggregates = track.aggregates
        row.polyline = track.polyline()
        row.fastest = track.distances.fastestStretches
        for id in track.chunkIDs { sealedChunks[id] = track.chunk(id) }
        self.track = nil
        return row.aggregates.counts.accepted * FoldWork.sealedPoint
    }

    var chunkIDs: [Int] { track?.chunkIDs ?? sealedChunks.keys.sorted() }

    func chunk(_ id: Int) -> [UInt8]? { track?.chunk(id) ?? sealedChunks[id] }
}
