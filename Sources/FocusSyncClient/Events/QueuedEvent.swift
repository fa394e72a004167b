import FocusCore

/// An event that the device's store has, durably, and the log may not have yet.
public struct QueuedEvent: Hashable, Sendable {
    /// Its place among the device's events (rule E1); another one after a new incarnation.
    public var sequence: DeviceSequence
    public var envelope: Envelope

    public init(sequence: DeviceSequence, envelope: Envelope) {
        self.sequence = sequence
        self.envelope = envelope
    }
}
