import FocusCore
import PostgresClient

/// Rows of folded users on their way into an empty generation.
struct FilledRows {
    /// The most rows of one transaction, unless a single user has more.
    static let rowLimit = 4_000
    /// How many rows are written without a pause. For these one or two milliseconds this program and the database keep
    /// two processors busy, and an append has to wait for one.
    static let piece = 250
    /// The most bytes of values and memos in one transaction.
    static let byteLimit = 8 << 20
    /// From how many rows of a table on a COPY is worth its two round trips. Fewer are inserted, in one pipeline with
    /// those of other tables.
    static let leastCopied = 32

    /// One of each collection that has rows.
    private var tables: [RowTable] = []
    private var lastTable = 0
    private(set) var users: [ProjectedUser] = []
    private var rows = 0
    private var bytes = 0

    var isFull: Bool { rows >= Self.rowLimit || bytes >= Self.byteLimit || users.count >= Self.rowLimit }
    var last: UserID? { users.last?.user }
    var userCount: Int { users.count }

    mutating func append(_ state: borrowing UserState) {
        state.forEachRow { key, row in
            tables[table(of: key.collection)].append(state.user, key, row)
            rows += 1
            bytes += row.value.count + row.memo.count
        }
        users.append(
            ProjectedUser(
                user: state.user, version: state.version, rows: [], dueAt: state.dueAt,
                stateBytes: state.approximateBytes))
    }

    /// Where the collection's table is in `tables`, which gets one when it is new. Rows of a collection come one after
    /// the other.
    private mutating func table(of collection: RowCollection) -> Int {
        if lastTable < tables.count, tables[lastTable].collection == collection { return lastTable }
        lastTable = tables.firstIndex { $0.collection == collection } ?? tables.count
        if lastTable == tables.count { tables.append(RowTable(collection)) }
        return lastTable
    }

    func forEachRow(_ body: (UserID, RowKey, Row) -> Void) {
        for table in tables { table.forEach(body) }
    }

    /// Inserts everything; a row that is there already is an error.
    /// - Parameter pause: called now and then while rows are on their way.
    func insert(
        into generation: Generation, _ partition: Partition, pause: () throws -> Void,
        on connection: PostgresConnection
    ) throws {
        let tables = tables.sorted { $0.collection < $1.collection }
        var requests = tables.filter { $0.count < Self.leastCopied }
            .map { ($0.collection.statements.insert, $0.parameters(partition)) }
        requests.append(ProjectionWriter.users(partition, users))
        _ = try connection.pipeline(requests.map { (generation.statement($0.0), $0.1) })
        for table in tables where table.count >= Self.leastCopied {
            let columns = table.copyColumns(partition)
            try connection.copyIn(generation.statement(table.collection.statements.copy)) { writer in
                try writer.rows(table.count, columns, piece: Self.piece, pause: pause)
            }
        }
    }
}
