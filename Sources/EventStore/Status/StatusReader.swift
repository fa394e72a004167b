import FocusCore
import PostgresClient

/// Reads where the read model stands.
public struct StatusReader: Sendable {
    public init() {}

    /// - Parameter counting: true counts every row, which takes long on large tables, instead of asking the statistics.
    public func read(
        _ log: LogIdentity, counting: Bool, on connection: PostgresConnection
    ) throws -> ProjectionStatus {
        let heads = try LogReader().heads(of: log.allPartitions, on: connection)
        var status = ProjectionStatus(partitions: [], tables: [])
        for number in Set(heads.map(\.generation)).sorted() {
            status.partitions += try partitions(of: Generation(number), on: connection)
        }
        status.rebuild = try UnfinishedRebuild.read(on: connection)
        for number in Set(heads.map(\.generation) + [status.rebuild?.generation].compactMap { $0 }).sorted() {
            status.tables += try tables(of: Generation(number), counting: counting, on: connection)
        }
        status.partitions.sort { $0.partition < $1.partition }
        return status
    }

    /// The fold versions of the generations that partitions show, each once; nil stands for one that is not recorded.
    public func shownFolds(on connection: PostgresConnection) throws(PostgresError) -> [Int32?] {
        let result = try connection.query(Queries.readShownFolds, [])
        var folds: [Int32?] = []
        for row in 0..<result.rowCount {
            folds.append(result.isNull(row: row, column: 0) ? nil : try result.int4(row: row, column: 0))
        }
        return folds
    }

    private func partitions(
        of generation: Generation, on connection: PostgresConnection
    ) throws(PostgresError) -> [PartitionProjection] {
        let result = try connection.query(
            generation.statement(Queries.readProjections), [.int4(generation.number)])
        var partitions: [PartitionProjection] = []
        for row in 0..<result.rowCount {
            partitions.append(
                PartitionProjection(
                    partition: Partition(try result.int4(row: row, column: 0)), generation: generation.number,
                    foldVersion: result.isNull(row: row, column: 1) ? nil : try result.int4(row: row, column: 1),
                    checkpoint: LogOffset(try result.int8(row: row, column: 2)),
                    head: LogOffset(try result.int8(row: row, column: 3)),
                    lagMicroseconds: result.isNull(row: row, column: 4)
                        ? nil : max(0, try result.int8(row: row, column: 4)),
                    laggards: try result.int8(row: row, column: 5)))
        }
        return partitions
    }

    private func tables(
        of generation: Generation, counting: Bool, on connection: PostgresConnection
    ) throws(PostgresError) -> [TableSize] {
        let result = try connection.query(Queries.readTableSizes, [.text("read_\(generation.number)")])
        var tables: [TableSize] = []
        for row in 0..<result.rowCount {
            let name = try result.text(row: row, column: 0)
            var rows = try result.int8(row: row, column: 1)
            if counting {
                let counted = try connection.query(generation.statement(Queries.countRows, table: name))
                rows = try counted.int8(row: 0, column: 0)
            }
            tables.append(
                TableSize(
                    generation: generation.number, table: name, rows: rows,
                    bytes: try result.int8(row: row, column: 2)))
        }
        return tables
    }
}
