extension RouteTrack {
    /// Gives `take` the points chunk by chunk, from the chunk that holds `time`, or would, until `take` returns false.
    func read(from time: Timestamp?, _ take: ([RoutePoint]) -> Bool) {
        guard !chunks.isEmpty else { return }
        for index in (time.map(chunkIndex) ?? 0)..<chunks.count {
            guard take(chunks[index].points) else { return }
        }
    }

    /// The speed over an interval of a route that still accepts points (rule R6). It uses the lengths that the chunks
    /// keep, so no segment is measured again. Metres per second; nil when any of the interval is outside the route, or
    /// it has no length.
    public func speed(from start: Timestamp, to end: Timestamp) -> Double? {
        guard start < end, let before = distance(at: start), let after = distance(at: end) else { return nil }
        return (after - before) / (Double(end.microseconds(since: start)) / 1e6)
    }

    /// Metres from the route's start; nil outside it.
    private func distance(at time: Timestamp) -> Double? {
        guard let first = chunks.first?.points.first?.time, first <= time, time <= sum.run.end else { return nil }
        let index = chunkIndex(of: time)
        let chunk = chunks[index]
        // The first point of the chunk is not later than `time`.
        let next = chunk.points.firstIndex { $0.time > time } ?? chunk.points.count
        let since = chunk.points[next - 1].time
        let from = (head(index) + chunk.lengths[next - 1]).metres
        guard since < time else { return from }
        let (until, to) =
            next < chunk.points.count
            ? (chunk.points[next].time, (head(index) + chunk.lengths[next]).metres)
            : (chunks[index + 1].points[0].time, head(index + 1).metres)
        let fraction = Double(time.microseconds(since: since)) / Double(until.microseconds(since: since))
        return from + (to - from) * fraction
    }

    /// How far along the route a chunk's first point is.
    func head(_ index: Int) -> RouteLength {
        (index + 1 < chunks.count ? before[index + 1].run.length : sum.run.length) - chunks[index].run.length
    }
}
