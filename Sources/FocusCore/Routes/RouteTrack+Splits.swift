extension RouteTrack {
    /// One split for each full kilometre and one for what is left (rule R5).
    var splits: [RouteSplit] {
        guard let start = chunks.first?.points.first?.time else { return [] }
        var splits: [RouteSplit] = []
        splits.reserveCapacity(marks.count + 1)
        var last = start
        for mark in marks {
            splits.append(
                RouteSplit(distance: RouteSplit.metres, durationMicroseconds: mark.microseconds(since: last)))
            last = mark
        }
        let rest = (sum.run.length - RouteLength(kilometres: marks.count)).metres
        if rest > 0 || sum.run.end > last {
            splits.append(RouteSplit(distance: rest, durationMicroseconds: sum.run.end.microseconds(since: last)))
        }
        return splits
    }

    /// Finds the marks that are not there yet, each by bisection.
    mutating func extendMarks() {
        let full = min(sum.run.length.kilometres, RouteSplit.maximumKilometres)
        while marks.count < full { marks.append(time(reaching: RouteLength(kilometres: marks.count + 1))) }
    }

    /// When the route reached `length`; interpolated linearly in its segment, to the nearest microsecond.
    ///
    /// - Precondition: `length` is more than nothing, and no more than the route has.
    private func time(reaching length: RouteLength) -> Timestamp {
        // The last chunk before which the route is shorter than `length`; the way to the chunk's first point counts
        // with it.
        let index = Self.firstIndex(in: 0..<chunks.count) { before[$0].run.length >= length } - 1
        let chunk = chunks[index]
        // How far along the route the chunk's first point is. No sum has saturated: a chunk is shorter than 5.2 million
        // km.
        let head = (index + 1 < chunks.count ? before[index + 1].run.length : sum.run.length) - chunk.run.length
        let next = Self.firstIndex(in: 0..<chunk.points.count) { head + chunk.lengths[$0] >= length }
        guard next < chunk.points.count else { return chunk.points[chunk.points.count - 1].time }
        let (from, since) =
            next > 0
            ? (head + chunk.lengths[next - 1], chunk.points[next - 1].time)
            : (before[index].run.length, before[index].run.end)
        let gap = chunk.points[next].time.microseconds(since: since)
        let fraction = (length - from).metres / (head + chunk.lengths[next] - from).metres
        // A fraction below 1 keeps the product below 2^63 even for the longest gap.
        return since.adding(microseconds: fraction < 1 ? Int64((fraction * Double(gap)).rounded()) : gap)
    }

    /// The first index for which `isPast`, which is then true for all after it; the end of the range without any.
    private static func firstIndex(in range: Range<Int>, _ isPast: (Int) -> Bool) -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = (low + high) / 2
            if isPast(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
