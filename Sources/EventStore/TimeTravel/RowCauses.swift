import FocusCore

/// Collects at which versions rows changed, in the order of the versions. Bounded: of each row the last few are kept,
/// and rows that came and went again are forgotten.
struct RowCauses {
    struct Known: Hashable {
        var last: [Version] = []
        /// How many came before those.
        var omitted = 0
    }

    private(set) var rows: [RowKey: Known] = [:]
    private let before: UserState
    private let to: Version
    private let limit: Int

    /// - Parameters:
    ///   - before: the state after which changes count.
    ///   - to: the last version whose changes count.
    ///   - limit: how many versions of a row are kept.
    init(after before: UserState, through to: Version, limit: Int) {
        self.before = before
        self.to = to
        self.limit = limit
    }

    mutating func add(_ changes: RowChanges) {
        let counts = { [from = before.version, to] (change: RowChanges.Change) in
            change.version > from && change.version <= to
        }
        for row in changes.rows where row.key.collection.isPublic {
            let own = changes.list[row.changes]
            guard own.contains(where: counts) else { continue }
            var known = rows[row.key] ?? Known()
            for change in own where counts(change) {
                known.last.append(change.version)
                if known.last.count > limit {
                    known.last.removeFirst()
                    known.omitted += 1
                }
                // A row that came and went again is no difference; keeping its versions would grow with the history.
                if change.isDeleted, before.value(of: row.key) == nil { known = Known() }
            }
            rows[row.key] = known.last.isEmpty ? nil : known
        }
    }
}
