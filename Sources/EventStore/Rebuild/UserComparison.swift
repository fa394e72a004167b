import FocusCore
import PostgresClient

/// Compares users' rows in the generation that will be shown with those in the generation that is shown now. Both are
/// first brought to the end of the log.
struct UserComparison {
    /// How many users are compared at once. All their rows in both generations are in memory then.
    static let page = 64

    let target: Generation
    let shown: Generation
    let rules: FoldRules
    /// Whether this program's fold has also made the generation that is shown. Only then can its rows be brought to the
    /// end of the log.
    let isSameFold: Bool

    /// Compares the users; the result lacks those who have no events. Throws `RebuildError.unfoldable`.
    func compare(
        _ users: [UserID], in partition: Partition, on connection: any RebuildConnection
    ) throws -> [ComparedUser] {
        var compared: [ComparedUser] = []
        var left = users[...]
        while !left.isEmpty {
            // As many users as memory allows; their rows in the generation before take about as much.
            let new = try connection.stored(
                Array(left), of: partition, in: target, takesAll: false, rules: rules)
            let some = left.filter { new[$0] != nil }
            guard !some.isEmpty else {
                throw EventStoreError.corrupt("partition \(partition) is not in log_partitions")
            }
            let old = try connection.stored(some, of: partition, in: shown, takesAll: true, rules: rules)
            compared += try compare(some, old, new, on: connection)
            left.removeFirst(some.count)
        }
        return compared
    }

    private func compare(
        _ users: [UserID], _ old: [UserID: StoredUser], _ new: [UserID: StoredUser],
        on connection: any RebuildConnection
    ) throws -> [ComparedUser] {
        var compared: [ComparedUser] = []
        for user in users {
            guard let stored = new[user] else { continue }
            let loaded: LoadedUser
            do {
                loaded = try connection.folded(stored, rules: rules)
            } catch let error as PostgresError {
                throw error
            } catch {
                throw RebuildError.unfoldable(user, after: stored.version, reason: "\(error)")
            }
            guard loaded.state.version > .zero else { continue }
            compared.append(ComparedUser(loaded, besides: shownRows(old[user], at: loaded.state.version)))
        }
        return compared
    }

    private func shownRows(_ old: StoredUser?, at version: Version) -> ShownRows {
        guard let old else { return ShownRows(rows: [:], version: .zero) }
        // Rows that cannot be brought to the log's end are compared as they are: devices were shown these.
        guard isSameFold, let folded = try? old.folded(rules), folded.state.version == version else {
            return ShownRows(rows: old.rows, version: old.version)
        }
        var rows = old.rows
        for key in folded.touchedKeys { rows[key] = folded.state.row(key) }
        return ShownRows(rows: rows, version: version, state: folded.state)
    }
}
