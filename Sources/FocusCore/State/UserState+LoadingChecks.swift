extension UserState {
    /// Throws `corruptRow` when an invariant between rows does not hold.
    func checkLoaded(_ chunks: [RowKey: [Int: [UInt8]]]) throws(FoldError) {
        guard (shared.waitingCount > 0) == (shared.summary.waitingSince != nil) else {
            throw .corruptRow(RowKey(.deliverySchedule))
        }
        // Sorted, so that the same rows fail alike everywhere.
        for key in chunks.keys.sorted() where shared.store[key]?.isDeleted != false { throw .corruptRow(key) }
        for key in shared.pendingRings.keys.sorted() {
            guard let app = key.app, record(of: app)?.list[key.id].isUnread == true else { throw .corruptRow(key) }
        }
        for record in apps {
            if let missing = missingPreference(of: record) { throw .corruptRow(missing) }
            for id in record.list.held where !record.list[id].isUnread {
                throw .corruptRow(RowKey(.alerts, app: record.app, key: id.text))
            }
            for id in record.performed.keys where !record.list[id].isListed {
                throw .corruptRow(RowKey(.actions, app: record.app, key: id.text))
            }
            // A class's own row stands beside the phone's.
            for id in record.list.withClassAlerts {
                let key = RowKey(.alerts, app: record.app, key: id.text)
                guard shared.store[key]?.isDeleted == false else { throw .corruptRow(key) }
            }
            let badge = RowKey(.badges, app: record.app)
            if let entry = shared.store[badge], let row = try? BadgeRow(decoding: entry.value), let count = row.count,
                count != record.list.unreadCount
            {
                throw .corruptRow(badge)
            }
        }
        try checkSuggestions()
    }

    /// The first missing row of a registered default; nil when none is missing. Every default has a row, which shows it
    /// or what was set in its place.
    private func missingPreference(of record: AppRecord) -> RowKey? {
        guard let defaults = record.preferences.defaults else { return nil }
        return defaults.rows.keys.lazy.map { RowKey(.preferences, app: record.app, key: $0.text) }
            .filter { shared.store[$0]?.isDeleted != false }.min()
    }
}
