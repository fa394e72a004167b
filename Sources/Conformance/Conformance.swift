/// Judges any server of the sync protocol from outside: it sees connections, bytes and times, and uses nothing of this
/// project's server or client library. Rules that only the inside of a server could show have no case here.
///
/// Flow: `ConformanceTarget` → `ConformanceRun` plays each `ConformanceCase` with users of its own → `CaseResult` →
/// table, JSON or JUnit. Cases run beside each other; those that hurt the server run alone, at the end.
public enum Conformance {
    /// Every case, in the order of the protocol's rules.
    public static let cases: [ConformanceCase] =
        FrameCases.all + IdentityCases.all + RevocationCases.all + AppendCases.all + RecallCases.all + QueueCases.all
        + SyncCases.all
        + CursorCases.all + SilenceCases.all + DigestCases.all + PeerCases.all + ReachCases.all + FetchCases.all
        + SilenceAllCases.all + ActionCases.all + FlowCases.all
        + HeartbeatCases.all + ActivityCases.all + QuotaCases.all
        + ServersCases.all + RebuildCases.all + CrashCases.all + ShutDownCases.all + HealingCases.all
}
