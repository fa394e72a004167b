/// The accepted points of one route and their aggregates (rules R2, R3, R5).
///
/// Points are sorted by time, one per microsecond; of several the first in the order of `RoutePoint.precedes` stays.
/// The track is a list of chunks that an insert touches one by one, and it keeps the sum of the chunks before each:
/// points at the end cost their own number, a late point costs its chunk and one step for each chunk after it, whose
/// points are not folded again.
///
/// The set of points, the counts and the aggregates are the same in any order of arrival. How the points are cut into
/// chunks is not, but it is the same for equal logs, and restoring a track from its chunks in between changes
/// nothing.
public struct RouteTrack: Sendable {
    /// The chunks in the order of time; none is empty.
    var chunks: [RouteChunk] = []
    var nextChunkID = 0
    public internal(set) var counts = RouteCounts()
    /// `before[i]` is the sum of the chunks before `chunks[i]`.
    var before: [RouteSum] = []
    /// The sum of all chunks.
    var sum = RouteSum()
    /// When each full kilometre was reached.
    var marks: [Timestamp] = []
    var changedChunkIDs: Set<Int> = []
    var work = RouteWork()

    public init() {}

    /// The aggregates of rule R5. Their cost is proportional to the number of splits, not of points.
    public var aggregates: RouteAggregates {
        var aggregates = RouteAggregates(counts: counts)
        sum.run.write(to: &aggregates)
        aggregates.elevationGain = sum.elevation.gain
        aggregates.elevationLoss = sum.elevation.loss
        aggregates.altitude = sum.elevation.range
        aggregates.splits = splits
        return aggregates
    }

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
    /// Compares points in their chunks, and counts. The rest follows from them or is bookkeeping.
    public static func == (a: Self, b: Self) -> Bool {
        a.counts == b.counts && a.nextChunkID == b.nextChunkID && a.chunks == b.chunks
    }
}

/// The sum of chunks that follow one another, from a route's start on.
struct RouteSum: Sendable {
    private(set) var run = RouteRun()
    private(set) var elevation = ElevationAccumulator()

    /// - Parameter chunk: the next one; it follows `elevation.state`.
    func adding(_ chunk: RouteChunk) -> RouteSum {
        var sum = self
        sum.run.join(chunk.run)
        sum.elevation.join(chunk.elevation)
        return sum
    }
}

/// How much work a track has done so far: it is charged to whoever asked for it, and tests bound it.
struct RouteWork: Hashable, Sendable {
    /// Points whose place was computed and whose segment was measured.
    var folded = 0
    /// Points whose place and segment were known, and were added up again because others came between them.
    var kept = 0
    /// Points whose altitudes were added again, because what came before them changed.
    var altitudes = 0
    /// Chunks added to what comes before them.
    var joined = 0

    /// The work since then (`FoldWork`).
    func units(since before: RouteWork) -> Int {
        folded - before.folded + joined - before.joined
            + (altitudes - before.altitudes + kept - before.kept) / FoldWork.altitudesPerUnit
    }
}
