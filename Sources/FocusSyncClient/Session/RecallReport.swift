import FocusCore

/// How recalling ended (rule P10).
public struct RecallReport: Hashable, Sendable {
    /// How many events the log held at their places.
    public var held = 0
    /// How many events the log did not hold: they go on in a new incarnation.
    public var moved = 0

    public init() {}
}

/// How far recalling has come: which events are asked about next (rule P10).
public struct RecallPosition: Hashable, Sendable {
    /// The last place in the queue that was asked about.
    var place = Int64.min
    /// The last place in the queue that is asked about at all: what was queued later was never sent. Nil: it is not
    /// looked up yet.
    var through: Int64?

    public init() {}
}
