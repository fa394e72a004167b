/// A route in the state: its row, and its points while it takes more.
struct RouteRecord: Sendable {
    /// As it was last written.
    var row: RouteRow
    /// Nil once finished.
    private(set) var track: RouteTrack?
    /// The chunks of a finished route, as their rows hold them: nothing in the fold reads them again. Empty when they
    /// were not loaded.
    private(set) var sealedChunks: [Int: [UInt8]] = [:]

    init(_ row: RouteRow) {
        self.row = row
        track = RouteTrack()
    }

    /// From its rows.
    init(_ row: RouteRow, chunks: [Int: [UInt8]]) throws(RouteTrackError) {
        self.row = row
        switch row.state {
        case .open: track = try RouteTrack(chunks: chunks, counts: row.aggregates.counts)
        case .finished: sealedChunks = chunks
        }
    }

    /// Takes points and gives the ids of the chunks that changed.
    mutating func insert(_ points: [RoutePoint], _ rules: FoldRules = .current) -> [Int] {
        guard track != nil else { return [] }
        track?.insert(points, rules)
        if let track { row.aggregates = track.aggregates }
        return track?.takeChangedChunkIDs() ?? []
    }

    /// Rule R4: sealed, and attached for good. False: it was already, and nothing changed.
    mutating func finish(_ body: RouteFinished) -> Bool {
        guard let track else { return false }
        row.state = .finished
        row.workoutID = body.workoutID
        row.metadata = body.metadata
        row.aggregates = track.aggregates
        row.polyline = track.polyline()
        row.fastest = track.distances.fastestStretches
        for id in track.chunkIDs { sealedChunks[id] = track.chunk(id) }
        self.track = nil
        return true
    }

    var chunkIDs: [Int] { track?.chunkIDs ?? sealedChunks.keys.sorted() }

    func chunk(_ id: Int) -> [UInt8]? { track?.chunk(id) ?? sealedChunks[id] }
}
