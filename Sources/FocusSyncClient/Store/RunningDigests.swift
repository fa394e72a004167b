import FocusCore

/// Counts and digests per collection, kept while rows come and go (rule S9).
struct RunningDigests: Hashable, Sendable {
    private var byCollection: [RowCollection: CollectionDigest]

    init(_ digests: [CollectionDigest] = []) {
        byCollection = Dictionary(digests.map { ($0.collection, $0) }) { $1 }
    }

    /// - Parameter hash: the row's `RowHash.value`.
    mutating func add(_ hash: UInt128, to collection: RowCollection) {
        move(collection) { count, sum in (count &+ 1, sum &+ hash) }
    }

    mutating func remove(_ hash: UInt128, from collection: RowCollection) {
        move(collection) { count, sum in (count &- 1, sum &- hash) }
    }

    private mutating func move(_ collection: RowCollection, by step: (UInt64, UInt128) -> (UInt64, UInt128)) {
        let old = byCollection[collection]
        // Only a damaged file can lead to a count below zero. It wraps, and so differs from the server's count (rule
        // S9).
        let (count, sum) = step(old?.count ?? 0, old?.digest.sum ?? 0)
        byCollection[collection] = CollectionDigest(collection: collection, count: count, digest: Digest(sum: sum))
    }

    /// Ordered by collection.
    var digests: [CollectionDigest] { byCollection.values.sorted { $0.collection < $1.collection } }
}
