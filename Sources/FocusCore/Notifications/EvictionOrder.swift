/// Finds the next entry to evict from a full list without looking at all of it each time: the lowest ranks of one scan
/// are kept in order. It is a cache: the same entries are evicted without it.
struct EvictionOrder<Rank: Comparable & Sendable>: Sendable {
    struct Candidate: Sendable {
        var rank: Rank
        var id: ByteText
    }

    /// How many candidates one scan of 10,000 yields.
    private static var batch: Int { 2_000 }

    /// Highest rank first, so that the next to evict is the last. May hold stale candidates.
    private var candidates: [Candidate] = []
    /// Every rank below this is in `candidates`; nil while nothing was scanned.
    private var bound: Rank?

    /// Adds a candidate. Must be called for every rank that is given.
    mutating func insert(_ rank: Rank, _ id: ByteText) {
        guard let bound, rank < bound else { return }
        var (low, high) = (0, candidates.count)
        while low < high {
            let middle = (low + high) / 2
            if candidates[middle].rank > rank { low = middle + 1 } else { high = middle }
        }
        candidates.insert(Candidate(rank: rank, id: id), at: low)
    }

    /// Removes and returns the candidate of the lowest rank. `scan` gives all current ones; `isCurrent` is false for
    /// stale ones.
    mutating func removeLowest(scan: () -> [Candidate], isCurrent: (Candidate) -> Bool) -> Candidate? {
        while let candidate = candidates.popLast() {
            if isCurrent(candidate) { return candidate }
        }
        let sorted = scan().sorted { $0.rank < $1.rank }
        candidates = sorted.prefix(Self.batch).reversed()
        bound = candidates.first?.rank
        return candidates.popLast()
    }
}
