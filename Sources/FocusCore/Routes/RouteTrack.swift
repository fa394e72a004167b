/// The accepted points of one route and what they come to (rules R2, R3, R5).
///
/// Points are sorted by time, one per microsecond; of several the first in the order of `RoutePoint.precedes` stays.
/// The track is a list of chunks that an insert touches one by one, with a checkpoint of the aggregates at the head
/// of each: points at the end cost their own number, a late point costs its chunk and the folding of the points after
/// it.
///
/// The set of points, the counts and the aggregates are the same in any order of arrival. How the points are cut into
/// chunks is not, but it is the same for equal logs, and restoring a track from its chunks in between changes
/// nothing.
public struct RouteTrack: Sendable {
    /// In the order of time; none is empty.
    var chunks: [RouteChunk] = []
    var nextChunkID = 0
    public internal(set) var counts = RouteCounts()
    /// `checkpoints[i]` is the fold of the points before `chunks[i]`.
    var checkpoints: [RouteAccumulator] = []
    /// The fold of all points.
    var folded = RouteAccumulator()
    /// When each full kilometre was reached; the accumulators say how many of them are theirs.
    var marks: [Timestamp] = []
    var changedChunkIDs: Set<Int> = []

    public init() {}

    /// Rule R5; proportional to the number of splits, not of points.
    public var aggregates: RouteAggregates { folded.aggregates(counts: counts, marks: marks) }

    public var isEmpty: Bool { chunks.isEmpty }

    /// All accepted points in the order of time.
    public var points: [RoutePoint] {
        var points: [RoutePoint] = []
        points.reserveCapacity(counts.accepted)
        for chunk in chunks { points += chunk.points }
        return points
    }

    /// The simplified line of a finished route (rule R5); see `RoutePolyline` for its cost.
    public func polyline() -> RoutePolyline { RoutePolyline(points) }
}

extension RouteTrack: Equatable {
    /// Equal points in equal chunks, and equal counts. The rest follows from them or is bookkeeping.
    public static func == (a: Self, b: Self) -> Bool {
        a.counts == b.counts && a.nextChunkID == b.nextChunkID && a.chunks == b.chunks
    }
}
