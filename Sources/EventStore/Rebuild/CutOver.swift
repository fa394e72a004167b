import FocusCore
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
    /// Makes the ids of the events that it appends.
    var makeID: () -> EventID = { EventID(UUID()) }

    /// Throws `RebuildError.overtaken` when another process has changed what the partition shows, and
    /// `RebuildError.unfoldable`. The transaction is rolled back then.
    /// - Parameter followed: the partition's users, with all events below `place.followed` folded in.
    func run(
        _ place: inout RebuildPlace, _ followed: inout FollowedUsers, on connection: any RebuildConnection
    ) throws -> Outcome {
        let from = place
        var since = ContinuousClock.now
        var outcome = Outcome(locked: .zero, users: 0, rows: 0, events: 0)
        place = try connection.inTransaction(.standard) { connection in
            let locked = try connection.lockPartition(from.partition)
            since = .now
            // No deadlock with an append is possible: an append never locks a checkpoint.
            try connection.waitForCheckpoint(of: from.partition, in: comparison.target)
            guard locked == comparison.shown.number,
                case let look = try connection.timedHeads(of: [from.partition]),
                var head = look.heads.first,
                let now = look.time,
                // A log that lost its tail to a failover ends before what was followed.
                from.followed <= head.nextOffset
            else { throw RebuildError.overtaken(from.partition) }
            // All events get the same time, by the database's clock: the clock of this machine is not that of the
            // servers.
            let time = max(now, head.lastRecordedAt)
            let tail = from.followed..<head.nextOffset
            let (users, others) = try followed.readTail(of: from.partition, in: tail, on: connection)
            try appendNotices(followed.told, &head, time, &outcome, on: connection)
            let unlike = try compare(
                followed.unkept.union(others), &head, time, &outcome, on: connection)
            // Servers that have these users in memory load them again.
            let different = followed.different(users).union(unlike)
            if !different.isEmpty { try connection.record(different: different, at: from) }
            var moved = from
            try moved.move(to: from.beginning(.done), on: connection)
            try connection.show(comparison.target, insteadOf: comparison.shown, in: from.partition)
            return moved
        }
        outcome.locked = .now - since
        return outcome
    }

    /// Runs before the lock the statements that will run under it, and ignores the results: plans are made, and pages
    /// are in memory.
    func warmUp(_ place: RebuildPlace, on connection: any RebuildConnection) throws {
        guard let head = try connection.timedHeads(of: [place.partition]).heads.first else { return }
        _ = try connection.events(partition: place.partition, from: head.nextOffset, limit: 1)
        _ = try comparison.compare([.beforeAll], in: place.partition, on: connection)
    }

    /// Writes the rows that the generation lacks after its cut-over. Any server would do that too; if one has begun to,
    /// the rest is left to it.
    func project(_ place: RebuildPlace, pause: () throws -> Void, on connection: any RebuildConnection) throws {
        guard let head = try connection.timedHeads(of: [place.partition]).heads.first,
            head.generation == comparison.target.number, place.followed <= head.nextOffset
        else { return }
        var users = try connection.users(partition: place.partition, in: place.followed..<head.nextOffset)
            .map(\.user).sorted()[...]
        while !users.isEmpty {
            let page = users.prefix(UserComparison.page).map { (place.partition, $0) }
            users = users.dropFirst(page.count)
            let loaded = try load(page, head, on: connection).values
                // A user who does not fold is left to the servers, which quarantine them.
                .compactMap { try? $0.get() }
            let batch = ProjectionBatch(
                partition: place.partition, generation: head.generation,
                checkpoint: users.isEmpty ? head.nextOffset : place.followed,
                // The rows may have events past the head that was read before them, so the commit waits for the disk.
                end: nil, users: loaded.compactMap(\.projected))
            guard loaded.count == page.count,
                case .written(missing: [], _) = try connection.write(batch, rules: comparison.rules)
            else { return }
            try pause()
        }
    }

    /// Compares users of whom nothing was kept. This reads their rows while appends wait.
    /// - Returns: the users whose rows differ in any bit.
    private func compare(
        _ users: Set<UserID>, _ head: inout PartitionHead, _ time: Timestamp, _ outcome: inout Outcome,
        on connection: any RebuildConnection
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

    /// Loads all of the users, however many statements that takes.
    private func load(
        _ users: [(Partition, UserID)], _ head: PartitionHead, on connection: any RebuildConnection
    ) throws -> [UserID: Result<LoadedUser, any Error>] {
        var loaded: [UserID: Result<LoadedUser, any Error>] = [:]
        while loaded.count < users.count {
            let some = try connection.load(
                users.filter { loaded[$0.1] == nil }, assuming: [head.partition: head.generation],
                rules: comparison.rules)
            guard !some.isEmpty else {
                throw EventStoreError.corrupt("partition \(head.partition) is not in log_partitions")
            }
            loaded.merge(some) { $1 }
        }
        return loaded
    }

    private func appendNotices(
        _ notices: [RebuildNotice], _ head: inout PartitionHead, _ time: Timestamp, _ outcome: inout Outcome,
        on connection: any RebuildConnection
    ) throws {
        var events: [LoggedEvent] = []
        for notice in notices {
            let told = notice.events(
                comparison.target, in: head.partition, at: head.nextOffset.advanced(by: events.count), time,
                makeID: makeID)
            outcome.users += 1
            outcome.rows += notice.change.rowCount
            outcome.events += told.count
            events += told
            if events.count >= Self.eventLimit { try append(&events, &head, on: connection) }
        }
        try append(&events, &head, on: connection)
    }

    private func append(
        _ events: inout [LoggedEvent], _ head: inout PartitionHead, on connection: any RebuildConnection
    ) throws {
        var rest = events[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(Self.eventLimit))
            rest = rest.dropFirst(some.count)
            let outcomes = try connection.append([PartitionAppend(behind: head, events: some)])
            guard case .committed = outcomes[head.partition], let last = some.last else {
                throw RebuildError.overtaken(head.partition)
            }
            head.move(behind: last)
        }
        events = []
    }
}
