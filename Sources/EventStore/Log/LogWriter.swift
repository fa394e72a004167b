import FocusCore
import PostgresClient

/// Appends to the log: one statement, one round trip, one commit for all partitions that have
/// something waiting.
public struct LogWriter: Sendable {
    public init() {}

    /// Appends each batch whose partition still ends at the expected offset, with the expected event. A batch whose
    /// partition does not is `.behind`: none of its events is written.
    ///
    /// Returns after the commit, with an outcome for every batch. When it throws an error whose `outcomeIsUnknown`, the
    /// batches may be committed or not: ask `resolveInDoubt` on another connection before anybody is told anything. Any
    /// other error means that nothing was written. The connection must have no statement timeout where commits wait for
    /// a standby.
    ///
    /// Batches of the same partition, offsets that are not dense, and a `recordedAt` that goes backwards are the
    /// caller's mistakes: an error of kind `usage`, or a failed statement where only the log can see them. Nothing is
    /// written.
    public func append(
        _ batches: [PartitionAppend], on connection: PostgresConnection
    ) throws(PostgresError) -> [Partition: PartitionOutcome] {
        guard !batches.isEmpty else { return [:] }
        guard Self.areWellFormed(batches) else { throw PartitionAppend.malformed }
        return try Self.outcomes(
            batches, try connection.query(Queries.appendEvents, Self.parameters(batches)))
    }

    static func areWellFormed(_ batches: [PartitionAppend]) -> Bool {
        batches.allSatisfy(\.isWellFormed) && Set(batches.map(\.partition)).count == batches.count
    }

    /// What became of the batches, by the statement's result.
    static func outcomes(
        _ batches: [PartitionAppend], _ result: PostgresResult
    ) throws(PostgresError) -> [Partition: PartitionOutcome] {
        var outcomes: [Partition: PartitionOutcome] = [:]
        for batch in batches { outcomes[batch.partition] = .behind }
        for row in 0..<result.rowCount {
            let partition = Partition(try result.int4(row: row, column: 0))
            outcomes[partition] = .committed(generation: try result.int4(row: row, column: 1))
        }
        return outcomes
    }

    static func parameters(_ batches: [PartitionAppend]) -> [PostgresValue] {
        var columns = EventColumns(capacity: batches.reduce(0) { $0 + $1.events.count })
        for batch in batches {
            for event in batch.events { columns.append(event) }
        }
        return [
            .int4Array(batches.map(\.partition.rawValue)),
            .int8Array(batches.map(\.expectedOffset.rawValue)),
            .uuidArray(batches.map(\.expectedEvent.uuid)),
            .timestamptzArray(batches.map(\.expectedRecordedAt.microseconds)),
            .int8Array(batches.map { $0.expectedOffset.advanced(by: $0.events.count).rawValue }),
            .uuidArray(batches.map { ($0.events.last?.id ?? $0.expectedEvent).uuid }),
            .timestamptzArray(batches.map { $0.events.first?.recordedAt.microseconds }),
            .timestamptzArray(batches.map { $0.events.last?.recordedAt.microseconds }),
        ] + columns.parameters
    }
}
