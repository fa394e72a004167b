/// Finds the next entry to evict from a full list without looking at all of it each time: the lowest ranks of one scan
/// are kept in order. It is a cache: the same entries are evicted without it.
struct EvictionOrder<Rank: Comparable & Sendable>: Sendable {
    struct Place: Sendable {
        var rank: Rank
        var id: ByteText
    }

    /// How many places one scan of 10,000 yields.
    private static var batch: Int { 2_000 }

    /// Highest rank first, so that the next to evict is the last. May hold stale places.
    private var places: [Place] = []
    /// Every rank below this is in `places`; nil while nothing was scanned.
    private var bound: Rank?

    /// Adds a place. Must be called for every rank that is given.
    mutating func insert(_ rank: Rank, _ id: ByteText) {
        guard let bound, rank < bound else { return }
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].rank > rank { low = middle + 1 } else { high = middle }
        }
        places.insert(Place(rank: rank, id: id), at: low)
    }

    /// Removes and returns the place of the lowest rank. `scan` gives all current places; `isCurrent` is false for
    /// stale ones.
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
