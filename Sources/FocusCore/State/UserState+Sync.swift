extension UserState {
    /// The rows after `position` that the view may hold, ordered by (version, key), until they take `limitBytes`; at
    /// least one, if there is any. Costs the size of the answer, not of the state.
    public func rows(after position: SyncPosition, in view: View, limitBytes: Int) -> SyncPage {
        shared.store.page(after: position, in: view, limitBytes: limitBytes, version: head(of: view).version)
    }

    /// Count and digest of the live rows that the view holds, for every public collection of it, also those without
    /// rows, in the order of their names (rule S9). Hashes only rows that changed since the last call.
    public mutating func digests(in view: View) -> [CollectionDigest] { shared.store.digests(in: view) }

    /// Rows with a public value or a tombstone.
    public var rowCount: Int { shared.store.count }
}
