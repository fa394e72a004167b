/// Judges any server of the sync protocol from outside: connections, bytes and times, and nothing that this project's
/// server or client library knows. A rule that only a server's inside could show is not here.
///
/// Flow: `ConformanceTarget` → `ConformanceRun` plays each `ConformanceCase` with users of its own → `CaseResult` →
/// table, JSON or JUnit. Cases run beside each other; those that hurt the server run alone, at the end.
///
/// Breaks of our server, made by hand one after the other, and the rules whose cases failed then:
///
///     a row left out of snapshots and deltas                              S1
///     deletions left out of deltas                                        S2
///     a cursor of another view or log continued from                      S4
///     a cursor older than the tombstones continued from                   S5
///     any receipt counts as proof                                         S6
///     a proved event is judged anew                                       S6, with --restore-database
///     Welcome does not say that the log is behind                         S6, with --restore-database
///     Lost answered and not logged                                        S6
///     the choice of collections has no effect                             S7
///     an idle filtered cursor stands still                                S7 (sharpened: was not found)
///     a snapshot after a rebuild                                          S8, with --rebuild
///     Resync of one collection sends all                                  S9
///     digests of nothing; no checkpoint after the first deltas            S9
///     sessions outlive their token                                        A2
///     Renew takes anybody's token                                         A2
///     no TokenExpiry before the end                                       A2 (new case)
///     a revoked device's session goes on, always or after own commits     A3 (sharpened: took 300 s)
///     a revoked device is let in again; is told why                       A3
///     an event of another app accepted                                    A4
///     badges of all apps in an app's view                                 A4
///     another event under a taken sequence accepted; stored               P3
///     a gap passed over; reported each time; with another sequence        P4
///     a refusal ends its batch; is not named                              P5
///     appends of one turn taken last first; acknowledged twice            P6
///     the older connection stays; the late Hello wins                     P8
///     reads on, however much waits; never reads again                     P9 (the first sharpened: was not found)
///     who asks again is not answered                                      V1 (sharpened: was not found)
///     another server's changes not told                                   V1, with a second --server
///     a removal shows nothing; is not told; what was so is told late      V2
///     nothing told again; valid for 600 s                                 V3
///     changes told at once                                                V4
///     no bound to what waits for a device                                 L1
///     who takes nothing stays                                             L2
///     no Ping; silence is borne; Pong with another nonce                  L4
///     rows of before after an Appended                                    P7
///     acknowledged before the commit                                      P1, with --crash-server or --restart-server
///     a cursor before the end; pages left out of snapshots, of deltas     S3
///     a bad token is told why; an expired one accepted                    A1
///     larger frames taken before Hello; after it                          W1
///     the second of two frames of one piece lost                          W2
///     an unknown message ends the session; is not answered                W3
///     an undecodable frame is borne; 1,001 events in an Append taken      W4
///     any protocol accepted                                               W5
///     no limit to Hello; 3 s                                              W6
///     what comes before Hello is passed over; a second Hello too          W7
///     no GoAway at SIGTERM; exit 1; connections stay                      G1, with --terminate-server
///     a snapshot for every cursor; refused from 100 on; GoAway's bounds   L5
///     points left out of pages; read without permission; who may not      R1
///     is told otherwise than that there is none
///     a speed outside of the route; a wrong one                           R6
///
/// Tried on a loaded machine and not found, though there are cases for them: progress of a slow device that does not
/// count (L2), the last change dropped within 250 ms (V4), a lane that waits for a device which takes nothing (L3), reads
/// of fewer than 4 bytes lost (W2, sharpened since).
public enum Conformance {
    /// Every case, in the order of the protocol's rules.
    public static let cases: [ConformanceCase] =
        FrameCases.all + IdentityCases.all + RevocationCases.all + AppendCases.all + RecallCases.all + QueueCases.all
        + SyncCases.all
        + CursorCases.all + DigestCases.all + PeerCases.all + FetchCases.all + FlowCases.all + HeartbeatCases.all
        + ServersCases.all + RebuildCases.all + CrashCases.all + ShutDownCases.all + HealingCases.all
}
