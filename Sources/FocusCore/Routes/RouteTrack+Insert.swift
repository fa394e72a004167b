extension RouteTrack {
    /// Inserts a batch of logged points in any order: filters them by rule R2 and merges them by rule R3.
    public mutating func insert(_ batch: [RoutePoint], _ rules: FoldRules = .current) {
        let candidates = accept(batch, rules)
        var split = 0
        if let last = chunks.last?.points.last {
            split = candidates.firstIndex { $0.time > last.time } ?? candidates.endIndex
            if split > 0 { merge(candidates[..<split]) }
        }
        append(candidates[split...])
        addUp()
    }

    /// Brings the sum and the marks up to date with the chunks.
    mutating func addUp() {
        guard let last = chunks.last else { return }
        sum = before[before.count - 1].adding(last)
        extendMarks()
    }

    /// The points that pass the filter, sorted, one per microsecond. Counts the dropped points and the duplicates
    /// within `batch`; accepted points are counted when they are appended or merged.
    private mutating func accept(_ batch: [RoutePoint], _ rules: FoldRules) -> [RoutePoint] {
        var passed: [RoutePoint] = []
        passed.reserveCapacity(batch.count)
        for point in batch {
            if let reason = RouteFilter.reasonToDrop(point, rules) {
                counts.drop(for: reason)
            } else {
                passed.append(point.withoutNegativeZeros)
            }
        }
        if zip(passed, passed.dropFirst()).allSatisfy({ $0.time < $1.time }) { return passed }
        passed.sort { $0.precedes($1) }
        var unique: [RoutePoint] = []
        unique.reserveCapacity(passed.count)
        for point in passed where unique.last?.time != point.time { unique.append(point) }
        counts.duplicate += passed.count - unique.count
        return unique
    }

    /// Appends points that are later than everything here.
    private mutating func append(_ late: ArraySlice<RoutePoint>) {
        counts.accepted += late.count
        work.folded += late.count
        for point in late {
            if chunks.isEmpty || chunks[chunks.count - 1].points.count >= RouteChunk.capacity { startChunk() }
            chunks[chunks.count - 1].append(point)
        }
        if !late.isEmpty, let id = chunks.last?.id { changedChunkIDs.insert(id) }
    }

    private mutating func startChunk() {
        before.append(chunks.last.map { before[before.count - 1].adding($0) } ?? RouteSum())
        chunks.append(RouteChunk(id: assignChunkID()))
        chunks[chunks.count - 1].reserveCapacity(RouteChunk.capacity)
        work.altitudes += chunks[chunks.count - 1].follow(before[before.count - 1].elevation.state)
        if chunks.count > 1 { changedChunkIDs.insert(chunks[chunks.count - 2].id) }
    }

    private mutating func assignChunkID() -> Int {
        defer { nextChunkID += 1 }
        changedChunkIDs.insert(nextChunkID)
        return nextChunkID
    }

    /// Merges points that are not later than the last point here. Chunks are changed from the last to the first, so
    /// that one that is cut in pieces moves none that is still to come.
    private mutating func merge(_ early: ArraySlice<RoutePoint>) {
        var rest = early
        var firstChanged: Int?
        while let time = rest.last?.time {
            let index = chunkIndex(of: time)
            let first = chunks[index].points[0].time
            let cut = index == 0 ? rest.startIndex : rest.firstIndex { $0.time >= first } ?? rest.endIndex
            if merge(rest[cut...], intoChunk: index) { firstChanged = index }
            rest = rest[..<cut]
        }
        if let firstChanged { join(from: firstChanged) }
    }

    /// The last chunk that starts at or before `time`; the first one when none does.
    func chunkIndex(of time: Timestamp) -> Int {
        var low = 0
        var high = chunks.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if chunks[middle].points[0].time <= time { low = middle } else { high = middle }
        }
        return low
    }

    /// Merges points into one chunk. Returns whether anything changed.
    private mutating func merge(_ new: ArraySlice<RoutePoint>, intoChunk index: Int) -> Bool {
        let old = chunks[index].points
        var merged = MergedPoints(of: chunks[index], adding: new.count)
        var position = 0
        var isChanged = false
        for point in new {
            while position < old.count, old[position].time < point.time {
                merged.keep(position)
                position += 1
            }
            if position < old.count, old[position].time == point.time {
                counts.duplicate += 1
                if point.precedes(old[position]) {
                    merged.add(point)
                    isChanged = true
                } else {
                    merged.keep(position)
                }
                position += 1
            } else {
                counts.accepted += 1
                merged.add(point)
                isChanged = true
            }
        }
        guard isChanged else { return false }
        for kept in position..<old.count { merged.keep(kept) }
        replaceChunk(index, with: merged)
        return true
    }

    /// Cuts `points` evenly when they are too many for one chunk; the first piece keeps the id.
    private mutating func replaceChunk(_ index: Int, with merged: MergedPoints) {
        let (points, segments) = (merged.points, merged.segments)
        let pieces = (points.count + RouteChunk.capacity - 1) / RouteChunk.capacity
        let bounds = (0...pieces).map { points.count * $0 / pieces }
        work.folded += merged.measuredCount
        work.kept += points.count - merged.measuredCount
        changedChunkIDs.insert(chunks[index].id)
        let (first, last) = (bounds[0], bounds[1])
        chunks[index] = RouteChunk(
            id: chunks[index].id, points: points[first..<last], segments: segments[first..<last])
        let more = (1..<pieces).map {
            let (first, last) = (bounds[$0], bounds[$0 + 1])
            return RouteChunk(id: assignChunkID(), points: points[first..<last], segments: segments[first..<last])
        }
        chunks.insert(contentsOf: more, at: index + 1)
    }

    /// Adds up the chunks from `index` on again; what comes before it stands.
    mutating func join(from index: Int) {
        before.removeSubrange((index + 1)...)
        // The marks that the chunks before `index` reach stay.
        marks.removeSubrange(min(marks.count, before[index].run.length.kilometres)...)
        for position in index..<chunks.count {
            work.joined += 1
            work.altitudes += chunks[position].follow(before[position].elevation.state)
            if position + 1 < chunks.count { before.append(before[position].adding(chunks[position])) }
        }
    }
}

/// The points of a chunk and those that come between them, with what is known of the way from each to the next.
private struct MergedPoints {
    private let chunk: RouteChunk
    private(set) var points: [RoutePoint] = []
    /// Metres from the point before; NaN: not measured yet.
    private(set) var segments: [Double] = []
    /// How many segments are to be measured.
    private(set) var measuredCount = 0
    /// Where the last point stands in the chunk; nil for one that is new.
    private var last: Int?

    init(of chunk: RouteChunk, adding count: Int) {
        self.chunk = chunk
        points.reserveCapacity(chunk.points.count + count)
        segments.reserveCapacity(chunk.points.count + count)
    }

    mutating func keep(_ position: Int) {
        // The first point of all has no point before it.
        let isMeasured = position > 0 ? last == position - 1 : points.isEmpty
        append(chunk.points[position], isMeasured ? chunk.segments[position] : .nan)
        last = position
    }

    mutating func add(_ point: RoutePoint) {
        append(point, .nan)
        last = nil
    }

    private mutating func append(_ point: RoutePoint, _ metres: Double) {
        points.append(point)
        segments.append(metres)
        if metres.isNaN { measuredCount += 1 }
    }
}
