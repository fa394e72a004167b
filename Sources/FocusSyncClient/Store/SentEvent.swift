import FocusCore

/// An event that the server acknowledged, as the device keeps it for healing (rule S6).
public struct SentEvent: Hashable, Sendable {
    /// The incarnation and sequence that the event was acknowledged under.
    public var incarnation: Incarnation
    public var sequence: DeviceSequence
    public var envelope: Envelope
    public var verdict: AppendOutcome.Verdict

    public init(
        incarnation: Incarnation, sequence: DeviceSequence, envelope: Envelope, verdict: AppendOutcome.Verdict
    ) {
        self.incarnation = incarnation
        self.sequence = sequence
        self.envelope = envelope
        self.verdict = verdict
    }
}
