@testable import SyncServer

/// How long anything takes at most, counted in steps of the system where that is possible, and why.
struct LivenessBounds {
    private let servers: Int
    /// How many events a frame has at most; a device has three frames unanswered.
    private let frameEvents: Int
    /// See `standing`.
    let standing: Int

    init(_ plan: SimulationPlan) {
        servers = plan.servers
        frameEvents = plan.bulk > 0 ? 300 : 8
        // A batch has those first whom the read model has lacked events of for longest, so each batch of one server moves
        // the checkpoint. A server does not know what others have written: its batches go through all whom it believes
        // to be lacking, and move nothing meanwhile. Then another server may be the one.
        let users = plan.users + plan.crowd + (plan.brokenEvents > 0 ? 1 : 0)
        let batch = plan.projectionBounds ?? (plan.crowd > 0 ? plan.crowdRows / Self.changedRows : 512)
        // A server that begins anew does not know who cannot be loaded, and finds it out so many at a time.
        let loads = plan.projectionBounds ?? LaneConfiguration().loadsPerProjection
        let tries = (plan.brokenCrowd + loads - 1) / loads
        standing = servers == 1 ? 2 + tries : servers * ((users + batch - 1) / batch + 1 + tries)
    }

    /// The most rows that a user of a crowd has changed when a batch takes them.
    private static let changedRows = 6

    // MARK: Commits

    /// How many commits a partition gets at most between an append and its answer.
    /// - Parameter events: how many events of the partition waited at the server, these included, and came meanwhile.
    func commits(events: Int) -> Int {
        // A commit carries two of them at least, however small its bounds are (rule Q1; `SimulatedServer`). Only the
        // first turn may come too late. In a turn of one server, another one may have two; and each may have a statement
        // under way when the append comes.
        let turns = 1 + (events + 1) / 2
        return 2 * servers * turns + servers
    }

    // MARK: Queues

    /// The most requests that wait in a lane.
    func requests(_ connections: Int) -> Int { 16 * connections + 16 }

    /// The most bytes of appends that wait in a server, with what their answers may take.
    func inboundBytes(_ connections: Int) -> Int {
        64 * 1024 + (16 * 1024 + 3 * frameEvents * AppendJudge.refusalBytes) * connections
    }

    // MARK: Time, in microseconds

    /// After something happened to the database, a server may tell devices `unavailable` for so long: who waits for a
    /// database asks at least every second.
    static let trouble: Int64 = 4_000_000
    /// Every server notices in this time that the log fell back, and closes its connections: a look for due users takes
    /// a second, and a connection gets three to close.
    static let noticing: Int64 = 15_000_000
    /// Everything comes to rest in this time after the faults have ended.
    static let patience: Int64 = 90_000_000
    /// The number of events up to which each logged event extends the patience by four latencies. A link with the
    /// smallest window carries about one row in the maximum latency, and the next one has to wait for a turn of its
    /// server; a device may lack everything that was ever appended, and an event may leave two rows: a refusal, and the
    /// tombstone of an older one.
    static let carriedEvents = 4_000
    /// Watching devices see what is so in this time after everything else has come to rest.
    static let viewers: Int64 = 8_000_000
}
