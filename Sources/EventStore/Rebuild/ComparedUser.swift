import FocusCore

/// A user of both generations, and how the one to be shown differs. Kept at hand, it follows the log: rows are read and
/// compared once, and after that only what an event touches.
struct ComparedUser: Sendable {
    /// In the generation to be shown, with everything that the log has folded in.
    private(set) var loaded: LoadedUser
    private(set) var change: UserChange
    private var shown: ShownRows

    init(_ loaded: LoadedUser, besides shown: ShownRows) {
        self.loaded = loaded
        self.shown = shown
        change = UserChange(from: shown.rows, at: shown.version, to: loaded.state)
    }

    var user: UserID { loaded.state.user }
    /// Of both generations, roughly: they have nearly the same.
    var rowCount: Int { 2 * shown.rows.count }
    var notice: RebuildNotice { RebuildNotice(loaded.state, change) }

    /// Folds an event of the user into both; one that is folded in already changes nothing.
    ///
    /// Throws what is wrong with the event. The user is then neither here nor there: compare anew.
    mutating func follow(_ event: LoggedEvent) throws {
        guard event.version > loaded.state.version else { return }
        let keys = try Set(loaded.apply(event)).union(shown.apply(event))
        change.update(keys, from: shown.rows, at: shown.version, to: loaded.state)
    }

    /// What the target's tables lack: rows that the log changed since they were written.
    var projected: ProjectedUser? { loaded.projected }

    /// They lack nothing now.
    mutating func noteProjected() {
        loaded.projectedVersion = loaded.state.version
        loaded.touchedKeys = []
    }
}

/// A user's rows in the generation that is shown.
struct ShownRows: Sendable {
    var rows: [RowKey: Row]
    /// What they show.
    var version: Version
    /// Folds what the log gets into them; nil: they are of another fold, and stay as they were found.
    var state: UserState?

    /// - Returns: the rows that it touched.
    fileprivate mutating func apply(_ event: LoggedEvent) throws -> [RowKey] {
        guard let keys = try state?.apply(event.decoded()) else { return [] }
        for key in keys { rows[key] = state?.row(key) }
        version = event.version
        return keys
    }
}
