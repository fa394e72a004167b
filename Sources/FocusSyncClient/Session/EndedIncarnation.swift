import FocusCore

/// An incarnation of this device that takes no further event (rule P10).
public struct EndedIncarnation: Hashable, Sendable {
    public var incarnation: Incarnation
    /// The newest acknowledged event that the store held then: all that it holds of the incarnation is up to there.
    public var place: Int64

    public init(_ incarnation: Incarnation, place: Int64) {
        self.incarnation = incarnation
        self.place = place
    }
}
