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
        for key in state.rowKeys where Self.isTold(key.collection) { seen[key] = Self.value(key, state) }
    }

    /// The reported rows that changed, ordered by key.
    package mutating func changes(_ keys: [RowKey], _ state: borrowing UserState) -> [Change] {
        var changes: [Change] = []
        for key in Set(keys) where Self.isTold(key.collection) {
            let new = Self.value(key, state)
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

    private static func value(_ key: RowKey, _ state: borrowing UserState) -> [UInt8]? {
        guard let row = state.row(key), !row.isDeleted else { return nil }
        return row.value
    }
}
