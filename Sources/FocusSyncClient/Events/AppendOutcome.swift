import FocusCore

/// What became of an event: the log has the event, or its refusal in its place (rules P1, E2).
public struct AppendOutcome: Hashable, Sendable {
    public enum Verdict: Hashable, Sendable {
        /// The log has the event.
        case accepted
        /// The event breaks a rule and has no effect (rule E2). `code` is the raw value of a `RefusalCode`, or a code
        /// of a later server.
        case refused(code: String, message: String)
    }

    /// The event's sequence, in the incarnation in which it was answered.
    public var sequence: DeviceSequence
    public var event: EventID
    /// The raw value of the event's `EventType`, or a type of a later library.
    public var type: String
    public var verdict: Verdict
    /// The user's version at which the event is durable in the log: what this device gets next includes it (rule P7).
    /// The event's own version may be smaller.
    public var version: Version

    public init(sequence: DeviceSequence, event: EventID, type: String, verdict: Verdict, version: Version) {
        self.sequence = sequence
        self.event = event
        self.type = type
        self.verdict = verdict
        self.version = version
    }

    public var isAccepted: Bool { verdict == .accepted }
}
