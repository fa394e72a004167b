/// What the background verifier has found since the server started. A user who was verified twice counts twice.
public struct VerificationCounts: Hashable, Sendable {
    /// Users who were compared with the read model, or could not be folded.
    public var verified = 0
    /// Users whose rows differ from what their events make, or whose events cannot be folded.
    public var differing = 0
}
