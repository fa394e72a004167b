import FocusCore

/// What an append statement holds of a user.
struct StagedUser {
    let id: UserID
    /// The work that the lane does for the user's events.
    var share: WorkShare
    /// The work that is done for them beside the lane.
    var workBeside = 0
    /// The rows that the events changed.
    private(set) var touched = TouchedRows()
    /// Whether any of the events is folded.
    private(set) var hasFoldedEvents = false
    /// An event that is staged without being folded: the user's state lacks it, and takes nothing more, until it is
    /// folded beside the lane.
    var unfolded: Event?
    /// Whether a frame of theirs takes several statements: what is here of it is no sign that they ask for little.
    var isPartial = false

    init(_ id: UserID, _ share: WorkShare) { (self.id, self.share) = (id, share) }

    /// The work of all that the user asks for.
    var work: Int { share.work + workBeside }

    /// Whether the user asks for something, and for little.
    var isLight: Bool { work > 0 && work <= share.lightWork && !isPartial }

    /// Charges the user with nothing of what is staged so far.
    mutating func forgetWork() { (share, workBeside) = (WorkShare(lightWork: share.lightWork), 0) }

    /// Adds the rows that a folded event changed.
    mutating func touch(_ keys: [RowKey]) {
        hasFoldedEvents = true
        touched.add(keys)
    }
}
