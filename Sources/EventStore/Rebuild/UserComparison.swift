import FocusCore
import PostgresClient

/// Holds users of a generation that is to be shown against the one that is, both at the end of the log.
struct UserComparison {
    /// Users looked at together: both generations' rows of all of them are in memory.
    static let page = 64

    struct Found {
        var user: UserID
        /// In the generation to be shown, with everything that the log has folded in.
        var loaded: LoadedUser
        var change: UserChange
    }

    let target: Generation
    let shown: Generation
    let rules: FoldRules
    /// Whether the shown generation is of the same fold: its rows can then be brought to the log's end as well.
    let isSameFold: Bool

    /// Users without events are passed over. Throws `RebuildError.unfoldable`.
    func compare(
        _ users: [UserID], in partition: Partition, on connection: PostgresConnection
    ) throws -> [Found] {
        let places = users.map { (partition, $0) }
        let loader = UserLoader(rules: rules)
        let old = try loader.read(places, shown, on: connection)
        let new = try loader.read(places, target, on: connection)
        var found: [Found] = []
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
            found.append(Found(user: user, loaded: loaded, change: change(old[user], loaded.state)))
        }
        return found
    }

    private func change(_ old: StoredUser?, _ state: borrowing UserState) -> UserChange {
        guard let old else { return UserChange(from: [:], at: .zero, to: state) }
        // Rows that do not fold are compared as they stand: those are what was shown.
        guard isSameFold, let folded = try? old.folded(rules), folded.state.version == state.version else {
            return UserChange(from: old.rows, at: old.version, to: state)
        }
        var rows = old.rows
        for key in folded.touchedKeys { rows[key] = folded.state.row(key) }
        return UserChange(from: rows, at: folded.state.version, to: state)
    }
}

extension UserComparison.Found {
    /// What the target's tables lack: rows that the log changed since they were written.
    func projected() -> ProjectedUser? {
        guard loaded.state.version > loaded.projectedVersion else { return nil }
        return ProjectedUser(
            user: user, version: loaded.state.version, base: loaded.projectedVersion,
            rows: loaded.touchedKeys.map { ProjectedRow($0, loaded.state.row($0)) }, dueAt: loaded.state.dueAt)
    }
}
