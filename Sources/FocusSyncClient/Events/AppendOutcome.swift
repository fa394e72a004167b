import FocusCore

/// What became of an event: the log has it, or a refusal in its place (rules P1, E2).
public struct AppendOutcome: Hashable, Sendable {
    public enum Verdict: Hashable, Sendable {
        case accepted
        /// `code` is a `RefusalCode` raw value, or a later one.
        case refused(code: String, message: String)
    }

    public var sequence: DeviceSequence
    public var event: EventID
    public var type: String
    public var verdict: Verdict
    /// The user's version when it was durable: what this device gets next includes it (rule P7). Not the event's own
    /// version, which may be smaller.
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
