import FocusCore
import PostgresClient

/// Appends of a writer that locks first, because others append to the same partitions: it cannot come too late.
///
/// Flow: `lock` → the caller folds what others appended, and makes its batches → `commitLocked`. Two round trips and a
/// commit; in between nothing is waited for but the database.
extension LogWriter {
    /// How long a transaction that has locked partitions may wait for its writer. It folds and stages some hundred
    /// events in between. PostgreSQL ends the transaction of a writer that stands still for longer, and nothing of it
    /// is written.
    static let idleMilliseconds = 2_000

    /// Begins a transaction that holds the partitions: nobody else appends to them before `commitLocked`, or
    /// `PostgresConnection.rollBack`, ends it. All are locked at once, in ascending order, and the transaction may
    /// append to no other: so no two writers wait for each other.
    ///
    /// Throws `PostgresError`, and `LogTruncated` when the log does not lead from a known head to the locked one. There
    /// is no transaction then.
    /// - Parameters:
    ///   - known: where the partitions end as far as the caller knows.
    ///   - limit: for a partition with more new events than this, their users are returned.
    /// - Returns: the partitions, in ascending order.
    public func lock(
        behind known: [PartitionHead], limit: Int, on connection: PostgresConnection
    ) throws -> [LockedPartition] {
        let known = known.sorted { $0.partition < $1.partition }
        let partitions = PostgresValue.int4Array(known.map(\.partition.rawValue))
        // Each statement has a snapshot of its own, so the last one sees all that was committed before the locks.
        let results = try connection.begin(with: [
            (Queries.boundIdleTime, [.text("\(Self.idleMilliseconds)ms")]),
            (Queries.lockPartitions, [partitions]),
            (
                Queries.readGaps,
                [
                    partitions, .int8Array(known.map { LockedPartition.firstOffset(behind: $0).rawValue }),
                    .int8(Int64(limit) + 2),
                ]
            ),
        ])
        do {
            var heads: [Partition: PartitionHead] = [:]
            for row in 0..<results[1].rowCount {
                let head = try PartitionHead(results[1], row: row)
                heads[head.partition] = head
            }
            let read = Dictionary(grouping: try LoggedEvent.read(results[2]), by: \.partition)
            return try known.map { known in
                guard let head = heads[known.partition] else { throw LogTruncated(known.partition) }
                return try LockedPartition(head, behind: known, limit: limit, read: read[known.partition] ?? []) {
                    try LogReader().users(partition: known.partition, in: $0, on: connection)
                }
            }
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// Appends as `append` does, to partitions that `lock` has locked over this connection, and commits. Throws what
    /// `append` throws; the commit is in doubt in the same cases. The transaction is over in any case.
    public func commitLocked(
        _ batches: [PartitionAppend], on connection: PostgresConnection
    ) throws(PostgresError) -> [Partition: PartitionOutcome] {
        guard Self.areWellFormed(batches), !batches.isEmpty else {
            connection.rollBack()
            throw PartitionAppend.malformed
        }
        let results = try connection.commit(after: [(Queries.appendEvents, Self.parameters(batches))])
        return try Self.outcomes(batches, results[0])
    }
}
