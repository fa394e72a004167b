import FocusCore
import PostgresClient

/// Everything that the read model holds of a user, as of one moment.
struct ShownUser {
    let user: UserID
    let partition: Partition
    /// The generation that was read: the active one, or one that is being filled.
    let generation: Generation
    /// The version of the fold that fills the generation; nil when it is not recorded.
    let foldVersion: Int32?
    /// The generation claims to show every event of the user below this offset.
    private(set) var claimed = LogOffset.zero
    /// The user's version in the generation; zero when it does not show the user.
    private(set) var version = Version.zero
    /// The digest sums of that version, as they are stored; nil: they are not known.
    private(set) var digests: [UInt8]?
    private(set) var rows: [RowKey: Row] = [:]
    private(set) var unknownRows: [UnknownRow] = []

    /// Reads everything in one snapshot, so a projector that commits meanwhile is seen wholly or not at all.
    ///
    /// - Parameters:
    ///   - filled: a generation that is not shown yet, and the version of the fold that fills it; nil: the active one.
    ///   - meanwhile: for tests; it runs after the version is read and before the rows are.
    static func read(
        _ user: UserID, in partition: Partition, filled: (Generation, foldVersion: Int32)? = nil,
        on connection: PostgresConnection, meanwhile: () throws -> Void = {}
    ) throws -> ShownUser {
        try connection.transaction(.snapshot) { connection in
            var shown =
                try filled.map { ShownUser(user, partition, $0, foldVersion: $1) }
                ?? ShownUser(user, partition, on: connection)
            try shown.readVersion(on: connection)
            try meanwhile()
            try shown.readRows(on: connection)
            return shown
        }
    }

    private init(_ user: UserID, _ partition: Partition, _ generation: Generation, foldVersion: Int32) {
        self.user = user
        self.partition = partition
        self.generation = generation
        self.foldVersion = foldVersion
    }

    private init(_ user: UserID, _ partition: Partition, on connection: PostgresConnection) throws {
        let active = try connection.query(Queries.readActiveGeneration, [.int4(partition.rawValue)])
        guard active.rowCount == 1 else {
            throw EventStoreError.corrupt("partition \(partition) is not in log_partitions")
        }
        self.user = user
        self.partition = partition
        generation = Generation(try active.int4(row: 0, column: 0))
        foldVersion = active.isNull(row: 0, column: 1) ? nil : try active.int4(row: 0, column: 1)
    }

    private mutating func readVersion(on connection: PostgresConnection) throws {
        let found = try connection.query(
            generation.statement(Queries.readShownVersion), [.int4(partition.rawValue), .uuid(user.uuid)])
        guard found.rowCount == 1 else { throw EventStoreError.corrupt("partition \(partition) has no checkpoint") }
        // The checkpoint, or what a laggard's rows have.
        claimed = LogOffset(try found.int8(row: 0, column: found.isNull(row: 0, column: 2) ? 0 : 2))
        version = Version(try found.int8(row: 0, column: 1))
        digests = found.isNull(row: 0, column: 3) ? nil : try found.bytes(row: 0, column: 3)
    }

    private mutating func readRows(on connection: PostgresConnection) throws {
        let parameters: [PostgresValue] = [.int4(partition.rawValue), .uuid(user.uuid)]
        let collections = RowCollection.allCases
        let results = try connection.pipeline(
            collections.map { (generation.statement(Queries.readRows, of: $0), parameters) })
        for (collection, result) in zip(collections, results) {
            for row in 0..<result.rowCount { try append(collection, result, row) }
        }
    }

    private mutating func append(_ collection: RowCollection, _ result: PostgresResult, _ row: Int) throws {
        let (name, text) = (try result.text(row: row, column: 0), try result.text(row: row, column: 1))
        let app = name.isEmpty ? nil : AppID(name)
        guard name.isEmpty || app != nil else {
            unknownRows.append(UnknownRow(collection: collection, app: name, key: text))
            return
        }
        var key = text
        if !result.isNull(row: row, column: 2) {
            key = String(decoding: try result.bytes(row: row, column: 2), as: UTF8.self)
            // A look-up goes by the key's stand-in (`StoredKey`). A row under another stand-in is never found by its
            // key.
            if StoredKey(key).text != text { key = text }
        }
        rows[RowKey(collection, app: app, key: key)] = Row(
            version: Version(try result.int8(row: row, column: 3)), isDeleted: try result.bool(row: row, column: 4),
            value: try result.bytes(row: row, column: 5), memo: try result.bytes(row: row, column: 6))
    }
}

extension Generation {
    /// Turns a statement over the table `apps` into one over this generation's table of a collection.
    func statement(_ statement: Statement, of collection: RowCollection) -> Statement {
        self.statement(statement, table: collection.rawValue)
    }

    /// Turns a statement over the table `apps` into one over this generation's table of that name, such as `users`.
    func statement(_ statement: Statement, table: String) -> Statement {
        Statement(
            name: "\(statement.name)_\(number)_\(table)",
            sql: statement.sql.replacing("read_1.apps", with: "read_\(number).\(table)"))
    }
}
