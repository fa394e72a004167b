extension UserState {
    /// The rows after `position` that the view may hold, ordered by (version, key), until they take `limitBytes`; at
    /// least one, if there is any. Costs the size of the answer, not of the state.
    public func rows(after position: SyncPosition, in view: View, limitBytes: Int) -> SyncPage {
        shared.store.page(after: position, in: view, limitBytes: limitBytes, version: head(of: view).version)
    }

    /// How many changes of the next version `rows` may look at, if it begins with that: one event may change all rows
    /// of a user.
    func changesOfNextVersion(after position: SyncPosition, in view: View) -> Int {
        shared.store.changesOfNextVersion(after: position, in: view)
    }

    /// How many changes there are after `version`.
    func changes(after version: Version, in view: View) -> Int {
        shared.store.changes(after: version, in: view)
    }

    /// Count and digest of the live rows that the view holds, for every public collection of it, also those without
    /// rows, in the order of their names (rule S9). Hashes only rows that changed since the last call.
    public mutating func digests(in view: View) -> [CollectionDigest] { shared.store.digests(in: view) }

    /// Does a part of what the next `digests` has to do, so that a large user's can be made a little at a time.
    /// - Returns: about how many bytes of rows were hashed; less than `limitBytes` when `digests` has nothing left to
    ///   hash.
    public mutating func prepareDigests(limitBytes: Int) -> Int { shared.store.makeHashes(limitBytes: limitBytes) }

    /// How many rows have to be hashed for the next `digests`.
    public var unhashedRows: Int { shared.store.unhashed.count }

    /// Rows with a public value or a tombstone.
    public var rowCount: Int { shared.store.count }
}
