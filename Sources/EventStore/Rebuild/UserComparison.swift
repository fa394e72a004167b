import FocusCore
import PostgresClient

/// Compares users of a generation that is to be shown with those of the one that is, both at the end of the log.
struct UserComparison {
    /// How many users are compared together: both generations' rows of all of them are in memory.
    static let page = 64

    let target: Generation
    let shown: Generation
    let rules: FoldRules
    /// Whether the shown generation is of the same fold: its rows can then be brought to the log's end as well.
    let isSameFold: Bool

    /// Compares users; those without events are left out. Throws `RebuildError.unfoldable`.
    func compare(
        _ users: [UserID], in partition: Partition, on connection: PostgresConnection
    ) throws -> [ComparedUser] {
        let places = users.map { (partition, $0) }
        let loader = UserLoader(rules: rules)
        let old = try loader.read(places, shown, on: connection)
        let new = try loader.read(places, target, on: connection)
        var compared: [ComparedUser] = []
        for user in users {
            guard let stored = new[user] else { continue }
            let loaded: LoadedUser
            do {
                loaded = try loader.folded(stored, on: connection)
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
        // Rows that do not fold are compared as they stand, because those are what was shown.
        guard isSameFold, let folded = try? old.folded(rules), folded.state.version == version else {
            return ShownRows(rows: old.rows, version: old.version)
        }
        var rows = old.rows
        for key in folded.touchedKeys { rows[key] = folded.state.row(key) }
        return ShownRows(rows: rows, version: version, state: folded.state)
    }
}
