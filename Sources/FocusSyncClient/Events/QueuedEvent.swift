import FocusCore

/// An event that the device's store holds, durably, and that the log may not have yet.
public struct QueuedEvent: Hashable, Sendable {
    /// The event's sequence in its incarnation (rule E1). It gets another one when the store goes on in a new
    /// incarnation.
    public var sequence: DeviceSequence
    public var envelope: Envelope

    public init(sequence: DeviceSequence, envelope: Envelope) {
        self.sequence = sequence
        self.envelope = envelope
    }
}
