import FocusCore

/// A user in both generations, and how the generation to be shown differs. It follows the log: rows are read and
/// compared once, and after that only those that an event touches.
struct ComparedUser: Sendable {
    /// The user's state in the generation to be shown, with all events of the log folded in.
    private(set) var loaded: LoadedUser
    private(set) var change: UserChange
    private var shown: ShownRows

    init(_ loaded: LoadedUser, besides shown: ShownRows) {
        self.loaded = loaded
        self.shown = shown
        change = UserChange(from: shown.rows, at: shown.version, to: loaded.state)
    }

    var user: UserID { loaded.state.user }
    /// The rows of both generations together, roughly: they have nearly the same.
    var rowCount: Int { 2 * shown.rows.count }
    var notice: RebuildNotice { RebuildNotice(loaded.state, change) }

    /// Folds an event of the user into both; one that is folded in already changes nothing.
    ///
    /// Throws what makes the event unfoldable. Then this value is unusable: compare the user anew.
    mutating func follow(_ event: LoggedEvent) throws {
        guard event.version > loaded.state.version else { return }
        let keys = try Set(loaded.apply(event)).union(shown.apply(event))
        change.update(keys, from: shown.rows, at: shown.version, to: loaded.state)
    }

    /// The rows that the target's tables lack: the log changed them since they were written.
    var projected: ProjectedUser? { loaded.projected }

    /// Marks those rows as written: the target's tables lack nothing now.
    mutating func markProjected() {
        loaded.projectedVersion = loaded.state.version
        loaded.touchedKeys = []
    }
}

/// A user's rows in the generation that is shown.
struct ShownRows: Sendable {
    var rows: [RowKey: Row]
    /// The version that the rows show.
    var version: Version
    /// The state into which later events are folded. Nil when the rows are of another fold or do not fold: they stay as
    /// they were found.
    var state: UserState?

    /// - Returns: the rows that it touched.
    fileprivate mutating func apply(_ event: LoggedEvent) throws -> [RowKey] {
        guard let keys = try state?.apply(event.decoded()) else { return [] }
        for key in keys { rows[key] = state?.row(key) }
        version = event.version
        return keys
    }
}
