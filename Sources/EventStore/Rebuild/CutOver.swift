import FocusCore
import FocusWire
import Foundation
import PostgresClient

/// Shows a generation in one partition, in one transaction.
///
/// Flow: lock the partition's row → fold the events that came since the last round → append `projection.rebuilt` for
/// users whose rows come out different → show the generation → commit → write those users' rows.
///
/// Appends to the partition wait until the commit; those to other partitions do not. The rows are written after it,
/// because the read model may lag behind the log.
struct CutOver {
    /// Events of one append statement.
    private static let eventLimit = 1_000

    struct Outcome: Sendable {
        /// How long the partition's row was locked; no append has waited longer.
        var locked: Duration
        /// How many users got `projection.rebuilt`.
        var users: Int
        /// How many rows these events name.
        var rows: Int
        /// How many such events were appended.
        var events: Int
    }

    let comparison: UserComparison

    /// Throws `RebuildError.overtaken` when another process has changed what the partition shows, and
    /// `RebuildError.unfoldable`. The transaction is rolled back then.
    /// - Parameter followed: the partition's users, with all events below `place.followed` folded in.
    func run(
        _ place: inout RebuildPlace, _ followed: inout FollowedUsers, on connection: PostgresConnection
    ) throws -> Outcome {
        let from = place
        var since = ContinuousClock.now
        var outcome = Outcome(locked: .zero, users: 0, rows: 0, events: 0)
        place = try connection.transaction { connection in
            let partition = PostgresValue.int4(from.partition.rawValue)
            let locked = try connection.query(Queries.lockPartitions, [.int4Array([from.partition.rawValue])])
            since = .now
            // No deadlock with an append is possible: an append never locks a checkpoint.
            _ = try connection.query(comparison.target.statement(Queries.waitCheckpoint), [partition])
            guard locked.rowCount == 1, try locked.int4(row: 0, column: 3) == comparison.shown.number,
                case let look = try LogReader().timedHeads(of: [from.partition], on: connection),
                var head = look.heads.first,
                let now = look.time
            else { throw RebuildError.overtaken(from.partition) }
            // All events get the same time, by the database's clock: the clock of this machine is not that of the
            // servers.
            let time = max(now, head.lastRecordedAt)
            let tail = from.followed..<head.nextOffset
            let (users, others) = try followed.readTail(of: from.partition, in: tail, on: connection)
            try appendNotices(followed.told, &head, time, &outcome, on: connection)
            let unlike = try compare(
                followed.unkept.union(others), &head, time, &outcome, on: connection)
            try recordDifferences(followed.different(users).union(unlike), from, on: connection)
            var moved = from
            try moved.move(to: from.beginning(.done), on: connection)
            _ = try connection.query(
                Queries.setGeneration,
                [partition, .int4(comparison.target.number), .int4(comparison.shown.number)])
            return moved
        }
        outcome.locked = .now - since
        return outcome
    }

    /// Runs before the lock the statements that will run under it, and ignores the results: plans are made, and pages
    /// are in memory.
    func warmUp(_ place: RebuildPlace, on connection: PostgresConnection) throws {
        guard let head = try LogReader().heads(of: [place.partition], on: connection).first else { return }
        _ = try LogReader().events(partition: place.partition, from: head.nextOffset, limit: 1, on: connection)
        _ = try comparison.compare([.beforeAll], in: place.partition, on: connection)
    }

    /// Writes the rows that the generation lacks after its cut-over. Any server would do that too; if one has begun to,
    /// the rest is left to it.
    func project(_ place: RebuildPlace, pause: () throws -> Void, on connection: PostgresConnection) throws {
        guard let head = try LogReader().heads(of: [place.partition], on: connection).first,
            head.generation == comparison.target.number
        else { return }
        var users = try LogReader().users(
            partition: place.partition, in: place.followed..<head.nextOffset, on: connection
        )
        .map(\.user).sorted()[...]
        while !users.isEmpty {
            let page = users.prefix(UserComparison.page).map { (place.partition, $0) }
            users = users.dropFirst(page.count)
            let loaded = try UserLoader(rules: comparison.rules)
                .load(page, assuming: [place.partition: head.generation], on: connection).values
                // A user who does not fold is left to the servers, which quarantine them.
                .compactMap { try? $0.get() }
            let batch = ProjectionBatch(
                partition: place.partition, generation: head.generation,
                checkpoint: users.isEmpty ? head.nextOffset : place.followed,
                // The rows may have events past the head that was read before them, so the commit waits for the disk.
                end: nil, users: loaded.compactMap(\.projected))
            guard loaded.count == page.count,
                case .written(missing: [], _) = try ProjectionWriter(rules: comparison.rules).write(
                    batch, on: connection)
            else { return }
            try pause()
        }
    }

    /// Compares users of whom nothing was kept. This reads their rows while appends wait.
    /// - Returns: the users whose rows differ in any bit.
    private func compare(
        _ users: Set<UserID>, _ head: inout PartitionHead, _ time: Timestamp, _ outcome: inout Outcome,
        on connection: PostgresConnection
    ) throws -> Set<UserID> {
        var unlike: Set<UserID> = []
        var rest = users.sorted()[...]
        while !rest.isEmpty {
            let page = Array(rest.prefix(UserComparison.page))
            rest = rest.dropFirst(page.count)
            let compared = try comparison.compare(page, in: head.partition, on: connection)
            try appendNotices(
                compared.filter { !$0.change.isEmpty }.map(\.notice), &head, time, &outcome, on: connection)
            unlike.formUnion(compared.filter { !$0.change.isIdentical }.map(\.user))
        }
        return unlike
    }

    /// Records the users whose rows differ, so that servers that have them in memory load them again.
    private func recordDifferences(_ users: Set<UserID>, _ place: RebuildPlace, on connection: PostgresConnection)
        throws
    {
        guard !users.isEmpty else { return }
        _ = try connection.query(
            Queries.recordDifferences,
            [.int4(comparison.target.number), .int4(place.partition.rawValue), .uuidArray(users.map(\.uuid))])
    }

    private func appendNotices(
        _ notices: [RebuildNotice], _ head: inout PartitionHead, _ time: Timestamp, _ outcome: inout Outcome,
        on connection: PostgresConnection
    ) throws {
        var events: [LoggedEvent] = []
        for notice in notices {
            let told = notice.events(
                comparison.target, in: head.partition, at: head.nextOffset.advanced(by: events.count), time)
            outcome.users += 1
            outcome.rows += notice.change.rowCount
            outcome.events += told.count
            events += told
            if events.count >= Self.eventLimit { try append(&events, &head, on: connection) }
        }
        try append(&events, &head, on: connection)
    }

    private func append(
        _ events: inout [LoggedEvent], _ head: inout PartitionHead, on connection: PostgresConnection
    ) throws {
        var rest = events[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(Self.eventLimit))
            rest = rest.dropFirst(some.count)
            let outcomes = try LogWriter().append([PartitionAppend(behind: head, events: some)], on: connection)
            guard case .committed = outcomes[head.partition], let last = some.last else {
                throw RebuildError.overtaken(head.partition)
            }
            head.move(behind: last)
        }
        events = []
    }
}
