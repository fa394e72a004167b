import FocusCore

/// A question to the log: what stands at these places of a device incarnation (rule E1).
public struct PlaceQuestion: Sendable {
    public var user: UserID
    /// Where the user's stream ends, as far as is known: so many events are looked through at most.
    public var version: Version
    public var partition: Partition
    /// The generation of the read model that the partition shows.
    public var generation: Int32
    public var device: DeviceID
    public var incarnation: Incarnation
    /// None is past the incarnation's last sequence, unless the incarnation began again.
    public var places: ClosedRange<DeviceSequence>
    /// What the user's state knows of these places.
    public var known: KnownRuns
    /// An event that the log must hold. A log without it fell back, and an event that is missing there proves nothing.
    public var anchor: LogAnchor?

    public init(
        user: UserID, version: Version, partition: Partition, generation: Int32, device: DeviceID,
        incarnation: Incarnation,
        places: ClosedRange<DeviceSequence>, known: KnownRuns, anchor: LogAnchor?
    ) {
        self.user = user
        self.version = version
        self.partition = partition
        self.generation = generation
        self.device = device
        self.incarnation = incarnation
        self.places = places
        self.known = known
        self.anchor = anchor
    }
}
