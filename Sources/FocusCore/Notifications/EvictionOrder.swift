/// Finds the next entry to evict from a full list without looking at all of it each time: the lowest ranks of one scan
/// are kept in order. It is a cache: the same entries are evicted without it. Of entries with the same rank the first id
/// goes first: one event gives many entries its stamp, and what is evicted must not depend on the order of a dictionary.
struct EvictionOrder<Rank: Comparable & Sendable>: Sendable {
    struct Candidate: Sendable, Comparable {
        var rank: Rank
        var id: ByteText

        static func < (a: Self, b: Self) -> Bool { (a.rank, a.id) < (b.rank, b.id) }
    }

    /// How many candidates one scan of 10,000 yields.
    private static var batch: Int { 2_000 }

    /// Highest first, so that the next to evict is the last. May hold stale candidates.
    private var candidates: [Candidate] = []
    /// Every candidate below this is in `candidates`; nil while nothing was scanned.
    private var bound: Candidate?

    /// Adds a candidate. Must be called for every rank that is given.
    mutating func insert(_ rank: Rank, _ id: ByteText) {
        let candidate = Candidate(rank: rank, id: id)
        guard let bound, candidate < bound else { return }
        var (low, high) = (0, candidates.count)
        while low < high {
            let middle = (low + high) / 2
            if candidates[middle] > candidate { low = middle + 1 } else { high = middle }
        }
        candidates.insert(candidate, at: low)
    }

    /// Removes and returns the lowest candidate. `scan` gives all current ones; `isCurrent` is false for
    /// stale ones.
    mutating func removeLowest(scan: () -> [Candidate], isCurrent: (Candidate) -> Bool) -> Candidate? {
        while let candidate = candidates.popLast() {
            if isCurrent(candidate) { return candidate }
        }
        candidates = scan().sorted().prefix(Self.batch).reversed()
        bound = candidates.first
        return candidates.popLast()
    }
}
