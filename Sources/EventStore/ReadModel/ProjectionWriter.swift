import FocusCore
import PostgresClient

/// Brings the read model up to the log. Any server may do it, for any partition: the one that holds the lock of the
/// partition's checkpoint does.
///
/// Flow: BEGIN, lock the checkpoint or give up → the users' versions → statements for each collection, and the
/// checkpoint with its laggards, in one pipeline → COMMIT.
///
/// The commit need not be flushed (`synchronous_commit = off`): a checkpoint that goes back tells what is lost, and that
/// is folded again. A batch that writes rows of events which its checkpoint does not pass could be lost unseen, when
/// another server moves the checkpoint on afterwards: it is flushed.
public struct ProjectionWriter: Sendable {
    private let rules: FoldRules

    public init(rules: FoldRules = .current) { self.rules = rules }

    /// The checkpoint of each partition in a generation's tables.
    public func checkpoints(
        of partitions: [Partition], generation: Int32 = 1, on connection: PostgresConnection
    ) throws(PostgresError) -> [Partition: Checkpoint] {
        let result = try connection.query(
            Generation(generation).statement(Queries.readCheckpoints), [.int4Array(partitions.map(\.rawValue))])
        var checkpoints: [Partition: Checkpoint] = [:]
        for row in 0..<result.rowCount {
            let partition = Partition(try result.int4(row: row, column: 0))
            let offset = LogOffset(try result.int8(row: row, column: 1))
            checkpoints[partition, default: Checkpoint(offset: offset)].offset = offset
            guard !result.isNull(row: row, column: 2) else { continue }
            let laggard = UserID(try result.uuid(row: row, column: 2))
            checkpoints[partition]?.laggards[laggard] = LogOffset(try result.int8(row: row, column: 3))
        }
        return checkpoints
    }

    /// Writes a batch in one transaction, or nothing of it.
    public func write(
        _ batch: ProjectionBatch, on connection: PostgresConnection
    ) throws -> ProjectionOutcome {
        var batch = batch
        for index in batch.users.indices { batch.users[index].readRows() }
        do {
            return try write(batch, inserting: true, on: connection)
        } catch let error as PostgresError {
            // A row that was kept for its memo alone (of a read before its post, say) was there already.
            guard case .uniqueViolation = error.kind else { throw error }
            return try write(batch, inserting: false, on: connection)
        }
    }

    private func write(
        _ batch: ProjectionBatch, inserting: Bool, on connection: PostgresConnection
    ) throws -> ProjectionOutcome {
        let generation = Generation(batch.generation)
        return try connection.transaction { connection in
            let partition = PostgresValue.int4(batch.partition.rawValue)
            let locked = try connection.pipeline([
                PostgresConnection.idleBound,
                (
                    generation.statement(Queries.lockCheckpoint),
                    [partition, .int8(batch.anchor?.offset.rawValue ?? -1)]
                ),
            ])[1]
            guard locked.rowCount == 1 else { return .busy }
            if let anchor = batch.anchor {
                guard !locked.isNull(row: 0, column: 1), EventID(try locked.uuid(row: 0, column: 1)) == anchor.event,
                    try locked.timestamptz(row: 0, column: 2) == anchor.recordedAt.microseconds
                else { return .otherLog }
            }
            if let timeline = batch.timeline {
                guard try locked.text(row: 0, column: 3) == timeline.name else { return .otherLog }
            }
            let checkpoint = LogOffset(try locked.int8(row: 0, column: 0))
            guard checkpoint >= batch.base else { return .checkpointRegressed(to: checkpoint) }
            // This is a statement of its own, so that its snapshot is taken after the lock.
            let found = try connection.query(
                generation.statement(Queries.readProjectedUsers),
                [partition, .uuidArray(batch.users.map(\.user.uuid)), .int4(batch.generation)])
            guard found.rowCount > 0, try found.int4(row: 0, column: 0) == batch.generation,
                !found.isNull(row: 0, column: 1), try found.int4(row: 0, column: 1) == rules.version
            else { return .otherGeneration }
            var shown: [UserID: Version] = [:]
            var dueTimes: [UserID: Timestamp] = [:]
            var digested: Set<UserID> = []
            for row in 0..<found.rowCount where !found.isNull(row: row, column: 2) {
                let user = UserID(try found.uuid(row: row, column: 2))
                shown[user] = Version(try found.int8(row: row, column: 3))
                if try found.bool(row: row, column: 5) { digested.insert(user) }
                guard !found.isNull(row: row, column: 4) else { continue }
                dueTimes[user] = Timestamp(microseconds: try found.timestamptz(row: row, column: 4))
            }
            let missing = Set(batch.users.filter { shown[$0.user, default: .zero] < $0.base }.map(\.user))
            let due = batch.users.filter { shown[$0.user, default: .zero] < $0.version && !missing.contains($0.user) }
            // Another server may have projected the version before us, with older zone data, or without digests.
            let retimed = batch.users.filter {
                shown[$0.user] == $0.version
                    && (dueTimes[$0.user] != $0.dueAt?.stored || $0.digests != nil && !digested.contains($0.user))
            }
            var requests = Self.requests(batch.partition, due, shown: inserting ? shown : nil)
            if !due.isEmpty || !retimed.isEmpty { requests.append(Self.users(batch.partition, due + retimed)) }
            let moves = missing.isEmpty && batch.checkpoint > checkpoint
            let isCovered = moves && batch.end.map { $0 <= batch.checkpoint } ?? batch.users.isEmpty
            if !requests.isEmpty, !isCovered { requests.append((Queries.flushCommit, [])) }
            if moves {
                requests.append((Queries.moveCheckpoint, [partition, .int8(batch.checkpoint.rawValue)]))
                if batch.passed != .nobody { requests.append(Self.laggards(batch)) }
            }
            if try locked.bool(row: 0, column: 4), !batch.users.isEmpty {
                requests.append(
                    (Queries.settleLaggards, [partition, .uuidArray(batch.users.map(\.user.uuid))]))
            }
            _ = try connection.pipeline(requests.map { (generation.statement($0.0), $0.1) })
            return .written(missing: missing, checkpoint: moves ? batch.checkpoint : checkpoint)
        }
    }

    /// The indices of the rows, oldest first: ids mostly ascend with time, so neighbours share pages of the index.
    /// Numbers are compared, because comparing the keys costs more than it saves.
    private static func byAppearance(_ rows: [ProjectedRow]) -> [Int] {
        var order = rows.indices.map { (appearedAt: rows[$0].appearedAt?.rawValue ?? 0, index: $0) }
        order.sort { $0.appearedAt < $1.appearedAt }
        return order.map(\.index)
    }

    private static func laggards(_ batch: ProjectionBatch) -> (Statement, [PostgresValue]) {
        let (partition, end) = (PostgresValue.int4(batch.partition.rawValue), batch.checkpoint.rawValue)
        return switch batch.passed {
        case .named(let users): (Queries.recordLaggards, [partition, .uuidArray(users.map(\.uuid)), .int8(end)])
        case .anybody: (Queries.recordLaggardsInRange, [partition, .int8(batch.base.rawValue), .int8(end)])
        }
    }

    /// Fewer new rows than this do not repay a statement of their own.
    private static let leastInserted = 16
    /// The most bytes of rows in one statement, unless a single row has more. libpq keeps the room of the largest statement
    /// that a connection ever sent, and the columns for people repeat much of a row.
    private static let statementBytes = 4 << 20

    /// - Parameters:
    ///   - shown: the version at which the read model shows each user; nil: look every row up.
    ///   - bytes: the most bytes of rows in one statement.
    static func requests(
        _ partition: Partition, _ users: [ProjectedUser], shown: [UserID: Version]?, bytes: Int = statementBytes
    ) -> [(Statement, [PostgresValue])] {
        var (known, new): ([RowCollection: RowTable], [RowCollection: RowTable]) = ([:], [:])
        var gone: [RowCollection: GoneRows] = [:]
        for user in users {
            let shown = shown.map { $0[user.user, default: .zero] }
            for index in Self.byAppearance(user.rows) {
                let projected = user.rows[index]
                let (key, table) = (projected.key, projected.key.collection)
                guard let row = projected.row else {
                    // A page of places is never deleted. A loaded state does not hold earlier pages, and that does not
                    // mean they are gone.
                    if table != .placePages { gone[table, default: GoneRows(table)].append(user.user, key) }
                    continue
                }
                if let shown, let appearedAt = projected.appearedAt, appearedAt > shown {
                    new[table, default: RowTable(table)].append(user.user, key, row)
                } else {
                    known[table, default: RowTable(table)].append(user.user, key, row)
                }
            }
        }
        for (collection, rows) in new where rows.count < leastInserted {
            known[collection, default: RowTable(collection)].append(contentsOf: rows)
            new[collection] = nil
        }
        // One order for all projectors; they hold different partitions, but share pages of indexes.
        var requests = known.values.sorted { $0.collection < $1.collection }
            .flatMap { $0.pieces(bytes: bytes) }.map { ($0.collection.statements.upsert, $0.parameters(partition)) }
        requests += new.values.sorted { $0.collection < $1.collection }
            .flatMap { $0.pieces(bytes: bytes) }.map { ($0.collection.statements.insert, $0.parameters(partition)) }
        requests += gone.values.sorted { $0.collection < $1.collection }
            .flatMap { $0.pieces(bytes: bytes) }.map { ($0.collection.statements.delete, $0.parameters(partition)) }
        return requests
    }

    static func users(_ partition: Partition, _ users: [ProjectedUser]) -> (Statement, [PostgresValue]) {
        let parameters: [PostgresValue] = [
            .int4(partition.rawValue), .uuidArray(users.map(\.user.uuid)), .int8Array(users.map(\.version.rawValue)),
            .timestamptzArray(users.map { $0.dueAt?.stored.microseconds }),
            .int8OptionalArray(users.map { $0.stateBytes.map(Int64.init) }),
            .byteaArray(users.map { $0.digests?.encoded }),
        ]
        return (Queries.showUsers, parameters)
    }
}
