import FocusCore

/// Which event a state ends with. A device that brings an event back to a log that had lost it brings the same id (rule
/// S6); another time is recorded then, by which the histories are told apart.
struct KeptMark: Hashable, Sendable {
    var event: EventID
    var recordedAt: Timestamp
}

/// A state on its way to be kept, and the event that it ends with.
struct KeptState: Sendable {
    var state: UserState
    /// When the state's last event was recorded.
    var recordedAt: Timestamp
    /// Where the changes begin that the state records.
    var start: KeptMark

    /// The state of a user without events.
    init(of user: UserID) { self.init(UserState(user: user), recordedAt: Timestamp(microseconds: 0)) }

    init(_ state: UserState, recordedAt: Timestamp) {
        (self.state, self.recordedAt) = (state, recordedAt)
        start = KeptMark(event: state.lastEvent, recordedAt: recordedAt)
    }

    var mark: KeptMark { KeptMark(event: state.lastEvent, recordedAt: recordedAt) }

    mutating func beginChanges() {
        state.beginChanges()
        start = mark
    }
}

/// Which rows changed up to a kept state, and the events between which they did.
struct KeptChanges: Sendable {
    var changes: RowChanges
    var start: KeptMark
    var end: KeptMark
}
