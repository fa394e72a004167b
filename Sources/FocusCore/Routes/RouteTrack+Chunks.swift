extension RouteTrack {
    /// Restores a track from its rows: the bytes of `chunk(_:)` for every chunk, in any order, and `counts`. Folds all
    /// points once. Throws when the chunks are not what a track can have written.
    public init(chunks stored: [Int: [UInt8]], counts: RouteCounts) throws(RouteTrackError) {
        for (id, bytes) in stored {
            guard id >= 0, id < Int.max else { throw .inconsistent }
            do { chunks.append(RouteChunk(id: id, points: try RouteChunkCoding.points(from: bytes)[...])) } catch {
                throw .malformedChunk(id)
            }
        }
        // A stable order also for wrong input: the check below finds equal times.
        chunks.sort { ($0.points[0].time, $0.id) < ($1.points[0].time, $1.id) }
        let times = chunks.flatMap { [$0.points[0].time, $0.points[$0.points.count - 1].time] }
        let lines = stride(from: 2, to: times.count, by: 2).allSatisfy { times[$0 - 1] < times[$0] }
        guard lines, chunks.reduce(0, { $0 + $1.points.count }) == counts.accepted else { throw .inconsistent }
        self.counts = counts
        nextChunkID = (chunks.map(\.id).max() ?? -1) + 1
        guard !chunks.isEmpty else { return }
        before = [RouteSum()]
        join(from: 0)
        addUp()
    }

    /// The ids of all chunks, ascending.
    public var chunkIDs: [Int] { chunks.map(\.id).sorted() }

    /// The ids of the chunks that changed since the last call, ascending. A chunk that came into being never goes.
    public mutating func drainChangedChunkIDs() -> [Int] {
        defer { changedChunkIDs = [] }
        return changedChunkIDs.sorted()
    }

    /// What the row of chunk `id` holds: a lossless, compact encoding of its points; nil for an unknown one.
    public func chunk(_ id: Int) -> [UInt8]? {
        // Nearly always the last one is asked for.
        guard let chunk = chunks.last(where: { $0.id == id }) else { return nil }
        return RouteChunkCoding.bytes(of: chunk.points)
    }
}

/// Rows of a route that do not make a track.
public enum RouteTrackError: Error, Hashable, Sendable {
    /// A chunk's bytes do not decode, or not to accepted points in the order of time.
    case malformedChunk(Int)
    /// Chunks overlap in time, or their points are not as many as the counts say.
    case inconsistent
}
