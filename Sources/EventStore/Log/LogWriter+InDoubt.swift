import FocusCore
import PostgresClient

extension LogWriter {
    /// What became of batches whose append ended without an answer.
    ///
    /// Locks the partitions first, on a fresh connection: the lock waits for the transaction of the lost connection, if
    /// it still runs. Then reads which events stand at the batches' offsets. A statement that the server had received
    /// but not begun can still run after this. It then finds another `next_offset` and writes nothing; or it writes the
    /// events, the retry finds another `next_offset`, and rule E1 sees the events again as duplicates. Safe to repeat.
    ///
    /// Throws `.lockNotAvailable` when that transaction still runs after `lockSeconds`. The wait is bounded so that it
    /// ends on the database's side too: one attempt after the other would else leave a session that waits.
    public func resolveInDoubt(
        _ batches: [PartitionAppend], on freshConnection: PostgresConnection, lockSeconds: Int = 10
    ) throws(PostgresError) -> [Partition: PartitionOutcome] {
        guard !batches.isEmpty else { return [:] }
        do {
            return try freshConnection.transaction { connection in
                _ = try connection.query(Queries.boundLockWaits, [.text("\(lockSeconds)s")])
                let partitions = PostgresValue.int4Array(batches.map(\.partition.rawValue))
                let locked = try connection.query(Queries.lockPartitions, [partitions])
                var generations: [Partition: Int32] = [:]
                for row in 0..<locked.rowCount {
                    generations[Partition(try locked.int4(row: row, column: 0))] = try locked.int4(row: row, column: 3)
                }
                // This is a statement of its own, so that its snapshot is taken after the locks.
                let found = try connection.query(
                    Queries.findEvents,
                    [
                        partitions, .int8Array(batches.map(\.expectedOffset.rawValue)),
                        .int8Array(batches.map { $0.expectedOffset.advanced(by: $0.events.count).rawValue }),
                    ])
                return try Self.outcomes(batches, found: EventMark.read(found), generations)
            }
        } catch let error as PostgresError {
            throw error
        } catch {
            throw PostgresError(kind: .other, message: "\(error)")
        }
    }

    private static func outcomes(
        _ batches: [PartitionAppend], found: Set<EventMark>, _ generations: [Partition: Int32]
    ) -> [Partition: PartitionOutcome] {
        var outcomes: [Partition: PartitionOutcome] = [:]
        for batch in batches {
            let isLogged = batch.events.allSatisfy { found.contains(EventMark($0)) }
            if isLogged, let generation = generations[batch.partition] {
                outcomes[batch.partition] = .committed(generation: generation)
            } else {
                outcomes[batch.partition] = .behind
            }
        }
        return outcomes
    }
}

/// Enough of an event to know that it is the same one, judged the same way, at the same place.
private struct EventMark: Hashable {
    var partition: Partition
    var offset: LogOffset
    var user: UserID
    var version: Version
    var id: EventID
    var type: String
    var recordedAt: Timestamp

    init(_ event: LoggedEvent) {
        partition = event.partition
        offset = event.offset
        user = event.user
        version = event.version
        id = event.id
        type = event.type
        recordedAt = event.recordedAt
    }

    init(_ result: borrowing PostgresResult, _ row: Int) throws(PostgresError) {
        partition = Partition(try result.int4(row: row, column: 0))
        offset = LogOffset(try result.int8(row: row, column: 1))
        user = UserID(try result.uuid(row: row, column: 2))
        version = Version(try result.int8(row: row, column: 3))
        id = EventID(try result.uuid(row: row, column: 4))
        type = try result.text(row: row, column: 5)
        recordedAt = Timestamp(microseconds: try result.timestamptz(row: row, column: 6))
    }

    static func read(_ result: PostgresResult) throws(PostgresError) -> Set<EventMark> {
        var marks: Set<EventMark> = []
        for row in 0..<result.rowCount { marks.insert(try EventMark(result, row)) }
        return marks
    }
}
