import FocusCore
import FocusWire
import Foundation
import PostgresClient

/// Shows a generation in one partition, in one transaction (architecture.md §2).
///
/// Flow: lock the partition's row → fold the rest → `projection.rebuilt` to users whose rows come out different →
/// generation → commit. Appends to the partition wait meanwhile; those of other partitions do not.
struct CutOver {
    /// Events of one append statement.
    private static let eventLimit = 1_000

    struct Outcome: Sendable {
        /// How long the partition's row was locked: the longest that an append can have waited.
        var locked: Duration
        /// Users who got an event.
        var users: Int
        /// Rows that those events name.
        var rows: Int
        var events: Int
    }

    let comparison: UserComparison
    /// Microseconds since 1970.
    var now: () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1_000_000) }

    /// Throws `RebuildError.overtaken`, and whatever keeps a user from being folded: nothing has happened then.
    func run(_ place: inout RebuildPlace, on connection: PostgresConnection) throws -> Outcome {
        let from = place
        var done = place.beginning(.done)
        var since = ContinuousClock.now
        var outcome = Outcome(locked: .zero, users: 0, rows: 0, events: 0)
        place = try connection.transaction { connection in
            let partition = PostgresValue.int4(from.partition.rawValue)
            let locked = try connection.query(Queries.lockPartitions, [.int4Array([from.partition.rawValue])])
            since = .now
            // In an order that no append takes: those hold one lock only.
            _ = try connection.query(comparison.target.statement(Queries.waitCheckpoint), [partition])
            guard locked.rowCount == 1, try locked.int4(row: 0, column: 2) == comparison.shown.number,
                var head = try LogReader().heads(of: [from.partition], on: connection).first
            else { throw RebuildError.overtaken(from.partition) }
            // One time for all its events, whatever the clock does meanwhile.
            head.lastRecordedAt = max(Timestamp(microseconds: now()), head.lastRecordedAt)
            let recent = Set(
                try LogReader().users(partition: from.partition, in: from.followed..<head.nextOffset, on: connection)
                    .map(\.user))
            try settle(recent.sorted(), &head, &outcome, on: connection)
            try settleDifferent(besides: recent, from, &head, &outcome, on: connection)
            done.followed = head.nextOffset
            var moved = from
            try moved.move(to: done, on: connection)
            _ = try connection.query(
                comparison.target.statement(Queries.moveCheckpoint), [partition, .int8(head.nextOffset.rawValue)])
            _ = try connection.query(Queries.setGeneration, [partition, .int4(comparison.target.number)])
            return moved
        }
        outcome.locked = .now - since
        return outcome
    }

    /// Asks before the lock what will be asked under it, for nothing: plans are made, and pages are in memory.
    func warmUp(_ place: RebuildPlace, on connection: PostgresConnection) throws {
        guard let head = try LogReader().heads(of: [place.partition], on: connection).first else { return }
        let recent = try LogReader().users(
            partition: place.partition, in: place.followed..<head.nextOffset, on: connection
        ).map(\.user)
        _ = try comparison.compare(
            [.beforeAll] + recent.prefix(UserComparison.page), in: place.partition, on: connection)
    }

    private func settleDifferent(
        besides done: Set<UserID>, _ place: RebuildPlace, _ head: inout PartitionHead, _ outcome: inout Outcome,
        on connection: PostgresConnection
    ) throws {
        var last = UserID.beforeAll
        while true {
            let result = try connection.query(
                Queries.readDifferences,
                [
                    .int4(comparison.target.number), .int4(place.partition.rawValue), .uuid(last.uuid),
                    .int8(Int64(UserComparison.page)),
                ])
            let users = try (0..<result.rowCount).map { UserID(try result.uuid(row: $0, column: 0)) }
            guard let end = users.last else { return }
            try settle(users.filter { !done.contains($0) }, &head, &outcome, on: connection)
            last = end
        }
    }

    /// Brings users to the log's end, and past it by what is to be told of them.
    private func settle(
        _ users: [UserID], _ head: inout PartitionHead, _ outcome: inout Outcome, on connection: PostgresConnection
    ) throws {
        var rest = users[...]
        while !rest.isEmpty {
            let page = Array(rest.prefix(UserComparison.page))
            rest = rest.dropFirst(page.count)
            var events: [LoggedEvent] = []
            var projected: [ProjectedUser] = []
            for var found in try comparison.compare(page, in: head.partition, on: connection) {
                let bodies = found.change.bodies(comparison.target)
                for body in bodies { events.append(try tell(body, &found, head, at: events.count)) }
                if !bodies.isEmpty { outcome.users += 1 }
                outcome.rows += found.change.rows.count
                if let user = found.projected() { projected.append(user) }
            }
            try append(events, &head, on: connection)
            outcome.events += events.count
            try write(projected, head.partition, on: connection)
        }
    }

    /// Folds one event in, and says how it is logged.
    private func tell(
        _ body: ProjectionRebuilt, _ found: inout UserComparison.Found, _ head: PartitionHead, at index: Int
    ) throws -> LoggedEvent {
        let recordedAt = head.lastRecordedAt
        let event = Event(
            version: found.loaded.state.version.next, device: .server, incarnation: Incarnation(0),
            sequence: found.loaded.state.lastSequence(of: .server, incarnation: Incarnation(0)).next,
            id: EventID(UUID()), app: nil, occurredAt: recordedAt, recordedAt: recordedAt,
            body: .projectionRebuilt(body))
        do {
            found.loaded.touchedKeys.formUnion(try found.loaded.state.apply(event))
        } catch {
            throw RebuildError.unfoldable(found.user, after: found.loaded.state.version, reason: "\(error)")
        }
        return LoggedEvent(
            partition: head.partition, offset: head.nextOffset.advanced(by: index), user: found.user,
            version: event.version, device: event.device, incarnation: event.incarnation, sequence: event.sequence,
            id: event.id, type: event.body.type.rawValue, app: nil, occurredAt: recordedAt, recordedAt: recordedAt,
            schemaVersion: FocusWire.payloadSchemaVersion, payload: PayloadCodec.encode(event.body))
    }

    private func append(
        _ events: [LoggedEvent], _ head: inout PartitionHead, on connection: PostgresConnection
    ) throws {
        var rest = events[...]
        while let first = rest.first {
            let some = Array(rest.prefix(Self.eventLimit))
            rest = rest.dropFirst(some.count)
            let outcomes = try LogWriter().append(
                [PartitionAppend(partition: head.partition, expectedOffset: first.offset, events: some)],
                on: connection)
            guard case .committed = outcomes[head.partition], let last = some.last else {
                throw RebuildError.overtaken(head.partition)
            }
            head.nextOffset = last.offset.next
        }
    }

    private func write(
        _ users: [ProjectedUser], _ partition: Partition, on connection: PostgresConnection
    ) throws {
        guard !users.isEmpty else { return }
        let requests =
            ProjectionWriter.requests(partition, users, shown: nil) + [ProjectionWriter.users(partition, users)]
        _ = try connection.pipeline(requests.map { (comparison.target.statement($0.0), $0.1) })
    }
}
