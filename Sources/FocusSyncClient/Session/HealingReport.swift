import FocusCore

/// How a healing ended (rule S6).
public struct HealingReport: Hashable, Sendable {
    /// How many offered events the log has now, including those that it had not lost.
    public var events = 0
    /// Sequences that the log had acknowledged and whose events neither it nor this device holds any more.
    public var lost: [LostEvents] = []
    /// Events that the log had accepted before, and refused now because they came without a valid receipt.
    public var refused: [RefusedEvent] = []
    /// How many events could not get their places back, because other events have them or the incarnation has ended.
    /// They are appended again in a new incarnation (rule P10).
    public var displaced = 0
    /// Sequences at which the log has other events: a copy of this device's store appended them.
    public var conflicts: [LostEvents] = []

    public init() {}
}

/// How far a healing has come: what is offered next (rule S6).
public struct HealingPosition: Hashable, Sendable {
    /// The last place among the store's acknowledged events that was offered.
    var place: Int64
    /// The first sequence of the current incarnation that was neither offered nor declared lost.
    var next: DeviceSequence
    /// The last sequence of the current incarnation that the log had when the healing began.
    var logged: DeviceSequence
    /// Whether events of the current incarnation that the store no longer holds are declared lost. False when the
    /// incarnation has ended: it takes nothing more.
    var mayLose = true
    /// The last place that is offered before an incarnation is ended again. Nil: all places are.
    var through: Int64?
}
