/// The digest sums of all rows of a user, as the read model keeps them beside the rows: they make the digests of any
/// view (rule S9) without a row in memory.
///
/// They are derived from the rows alone, so they may be missing, and nothing but speed depends on them.
public struct StoredDigests: Sendable {
    /// What is larger is not stored: 300 sums or so.
    public static let byteLimit = 8 * 1024

    let sums: DigestSums
    let previews: HiddenPreviews

    /// Those of a user without rows.
    public static let none = StoredDigests(DigestSums(), HiddenPreviews())

    init(_ sums: DigestSums, _ previews: HiddenPreviews) {
        // Without the hash of each hidden form.
        self.sums = DigestSums(groups: sums.groups, hiddenSums: sums.hiddenSums)
        self.previews = previews
    }

    /// Count and digest of each collection that the view holds, as `UserState.digests(in:)` of all the rows gives them.
    public func digests(in view: View) -> [CollectionDigest] { sums.digests(in: view, previews) }
}

extension UserState {
    /// The sums of all rows, for the read model; nil when more than `limit` rows would have to be hashed for them.
    public mutating func storedDigests(hashingAtMost limit: Int) -> StoredDigests? {
        guard shared.store.unhashed.count <= limit else { return nil }
        shared.store.makeHashes()
        return StoredDigests(shared.store.sums, shared.store.hiddenPreviews)
    }
}
