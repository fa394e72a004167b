import FocusCore

/// An incarnation of this device that takes no further event (rule P10).
public struct EndedIncarnation: Hashable, Sendable {
    public var incarnation: Incarnation
    /// The place of the newest acknowledged event that the store held when the incarnation ended: all events of the
    /// incarnation that the store holds are up to there.
    public var place: Int64

    public init(_ incarnation: Incarnation, place: Int64) {
        self.incarnation = incarnation
        self.place = place
    }
}
