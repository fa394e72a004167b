/// The accepted points of one route and what they come to (rules R2, R3, R5).
///
/// Points are sorted by time, one per microsecond; of several the first in the order of `RoutePoint.precedes` stays.
/// The track is a list of chunks that an insert touches one by one, and knows what the chunks before each come to:
/// points at the end cost their own number, a late point costs its chunk and one step for each chunk after it, whose
/// points are not folded again.
///
/// The set of points, the counts and the aggregates are the same in any order of arrival. How the points are cut into
/// chunks is not, but it is the same for equal logs, and restoring a track from its chunks in between changes
/// nothing.
public struct RouteTrack: Sendable {
    /// In the order of time; none is empty.
    var chunks: [RouteChunk] = []
    var nextChunkID = 0
    public internal(set) var counts = RouteCounts()
    /// `before[i]` is what the chunks before `chunks[i]` come to.
    var before: [RouteSum] = []
    /// What all chunks come to.
    var sum = RouteSum()
    /// When each full kilometre was reached.
    var marks: [Timestamp] = []
    var changedChunkIDs: Set<Int> = []
    var work = RouteWork()

    public init() {}

    /// Rule R5; proportional to the number of splits, not of points.
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
    /// Equal points in equal chunks, and equal counts. The rest follows from them or is bookkeeping.
    public static func == (a: Self, b: Self) -> Bool {
        a.counts == b.counts && a.nextChunkID == b.nextChunkID && a.chunks == b.chunks
    }
}

/// What chunks that follow one another come to, from a route's start on.
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

/// What a track has done so far, for the tests that say how much that may be.
struct RouteWork: Hashable, Sendable {
    /// Points whose place was computed and whose segment was measured.
    var folded = 0
    /// Altitudes gone through again, because what came before them changed.
    var altitudes = 0
    /// Chunks added to what comes before them.
    var joined = 0
}
