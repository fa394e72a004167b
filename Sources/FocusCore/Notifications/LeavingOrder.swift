/// Finds the next to leave a full list without looking at all of it each time: the lowest ranks of one scan, kept in
/// order. A cache: what leaves is the same without it.
struct LeavingOrder<Rank: Comparable & Sendable>: Sendable {
    struct Place: Sendable {
        var rank: Rank
        var id: ByteText
    }

    /// One scan of 10,000 serves this many.
    private static var batch: Int { 2_000 }

    /// Highest rank first, so that the next to leave is the last. May hold stale places.
    private var places: [Place] = []
    /// Everything below this is in `places`; nil: nothing was scanned.
    private var bound: Rank?

    /// Must be told of every rank that is given.
    mutating func insert(_ rank: Rank, _ id: ByteText) {
        guard let bound, rank < bound else { return }
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].rank > rank { low = middle + 1 } else { high = middle }
        }
        places.insert(Place(rank: rank, id: id), at: low)
    }

    /// The place of the lowest rank. `scan` gives all current places; `isCurrent` tells stale ones.
    mutating func removeLowest(scan: () -> [Place], isCurrent: (Place) -> Bool) -> Place? {
        while let place = places.popLast() {
            if isCurrent(place) { return place }
        }
        let sorted = scan().sorted { $0.rank < $1.rank }
        places = sorted.prefix(Self.batch).reversed()
        bound = places.first?.rank
        return places.popLast()
    }
}
