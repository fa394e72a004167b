import FocusCore

/// Remembers the rows that a timeline reports, in order to find what changed.
package struct TimelineWatch {
    package struct Change {
        package var key: RowKey
        /// Nil: the row is gone.
        package var after: [UInt8]?
    }

    private var seen: [RowKey: [UInt8]] = [:]

    package init(_ state: UserState) {
        for row in state.shownRows where Self.isTold(row.key.collection) { seen[row.key] = row.value }
    }

    /// The reported rows that changed, ordered by key.
    package mutating func changes(_ keys: [RowKey], _ state: borrowing UserState) -> [Change] {
        var changes: [Change] = []
        for key in Set(keys) where Self.isTold(key.collection) {
            let new = state.value(of: key)
            guard new != seen[key] else { continue }
            seen[key] = new
            changes.append(Change(key: key, after: new))
        }
        return changes.sorted { $0.key < $1.key }
    }

    private static func isTold(_ collection: RowCollection) -> Bool {
        // The person sees these change by themselves; of the others the event's own sentence tells.
        let told: RowCollections = [
            .activeFocus, .focusVisibility, .alerts, .classAlerts, .badges, .preferences, .routes, .refusals,
        ]
        return told.contains(collection)
    }
}
