import FocusCore

/// A user's rows in both generations, and how the new one differs. All rows are read and compared once; after that
/// further events are folded into both, and only the rows that an event touches are compared again.
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

    /// Folds an event of the user into both generations' rows. An event that is folded in already changes nothing.
    ///
    /// Throws when the event does not fold. This value is unusable then: compare the user anew.
    mutating func follow(_ event: LoggedEvent) throws {
        guard event.version > loaded.state.version else { return }
        let keys = try Set(loaded.apply(event)).union(shown.apply(event))
        change.update(keys, from: shown.rows, at: shown.version, to: loaded.state)
    }

    /// What the target's tables lack: the rows that events have changed since they were written. Nil when they lack
    /// nothing.
    var projected: ProjectedUser? { loaded.projected }

    /// Records that the rows of `projected` were written.
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
    /// The state into which further events are folded. Nil when another fold made the rows, or when they do not load:
    /// then they stay as they were found.
    var state: UserState?

    /// - Returns: the keys of the rows that the event touched.
    fileprivate mutating func apply(_ event: LoggedEvent) throws -> [RowKey] {
        guard let keys = try state?.apply(event.decoded()) else { return [] }
        for key in keys { rows[key] = state?.row(key) }
        version = event.version
        return keys
    }
}
