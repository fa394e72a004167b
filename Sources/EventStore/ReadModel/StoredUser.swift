import FocusCore
import PostgresClient

/// How many events of each user come with their rows.
struct LoadTail {
    var events: Int
    /// Bytes of payload, which the last event may pass.
    var bytes: Int
}

/// What one statement found of a user, before it is folded.
struct StoredUser {
    let user: UserID
    let head: PartitionHead
    /// The version that the rows show.
    let version: Version
    private var found: [(key: RowKey, row: Row)] = []
    private var names = RowNames()
    /// The events past `version`: all, or as many as the statement returns at most.
    private(set) var events: [LoggedEvent] = []
    private let tail: LoadTail
    private var eventBytes = 0
    /// Whether the digest sums of `version` are there; nothing of a look-up.
    let hasDigests: Bool
    /// How many rows belong to no collection that this program knows, or have an impossible app.
    private var unknownRows = 0

    /// Whether the statement returned as many events as it may, so that the log may have more.
    var mayHaveMore: Bool { events.count == tail.events || eventBytes >= tail.bytes }

    init(_ result: PostgresResult, _ row: Int, tail: LoadTail) throws(PostgresError) {
        self.tail = tail
        user = UserID(try result.uuid(row: row, column: LoadColumn.user))
        version = Version(try result.int8(row: row, column: LoadColumn.version))
        hasDigests = try result.bool(row: row, column: LoadColumn.isDeleted)
        head = PartitionHead(
            partition: Partition(try result.int4(row: row, column: LoadColumn.partition)),
            nextOffset: LogOffset(try result.int8(row: row, column: LoadColumn.offset)),
            lastEvent: EventID(try result.uuid(row: row, column: LoadColumn.event)),
            lastRecordedAt: Timestamp(microseconds: try result.timestamptz(row: row, column: LoadColumn.recordedAt)),
            generation: try result.int4(row: row, column: LoadColumn.schemaVersion))
    }

    /// - Parameter events: all past `version`.
    init(
        _ user: UserID, at version: Version, _ rows: [RowKey: Row], events: [LoggedEvent], head: PartitionHead
    ) {
        (self.user, self.version, self.events, self.head) = (user, version, events, head)
        found = rows.map { ($0.key, $0.value) }
        (tail, hasDigests) = (LoadTail(events: .max, bytes: .max), false)
    }

    /// The rows by their keys. The primary key of its table lets each key be there once.
    var rows: [RowKey: Row] { Dictionary(found.lazy.map { ($0.key, $0.row) }) { $1 } }

    mutating func append(_ result: PostgresResult, _ row: Int) throws(PostgresError) {
        if try LoadColumn.isEvent(result, row) {
            let event = try event(result, row)
            eventBytes += event.payload.count
            events.append(event)
        } else if let key = try names.key(result, row) {
            found.append(
                (
                    key,
                    Row(
                        version: Version(try result.int8(row: row, column: LoadColumn.version)),
                        isDeleted: try result.bool(row: row, column: LoadColumn.isDeleted),
                        value: try result.bytes(row: row, column: LoadColumn.value),
                        memo: try result.bytes(row: row, column: LoadColumn.memo))
                ))
        } else {
            unknownRows += 1
        }
    }

    /// The state that the rows make. Throws what is wrong with them.
    func shownState(_ rules: FoldRules) throws -> UserState {
        guard unknownRows == 0 else {
            throw EventStoreError.corrupt("\(unknownRows) rows of no known collection or app")
        }
        return try UserState(user: user, version: version, loading: found, rules: rules)
    }

    /// Builds the state from the rows, and folds `events` into it.
    func folded(_ rules: FoldRules) throws -> LoadedUser {
        var loaded = LoadedUser(
            state: try shownState(rules), projectedVersion: version, touchedKeys: [], head: head,
            hasDigests: hasDigests)
        for event in events.sorted(by: { $0.version < $1.version }) { try loaded.apply(event) }
        return loaded
    }

    private func event(_ result: PostgresResult, _ row: Int) throws(PostgresError) -> LoggedEvent {
        let app =
            result.isNull(row: row, column: LoadColumn.app)
            ? nil : AppID(try result.text(row: row, column: LoadColumn.app))
        return LoggedEvent(
            partition: head.partition,
            offset: LogOffset(try result.int8(row: row, column: LoadColumn.offset)),
            user: user,
            version: Version(try result.int8(row: row, column: LoadColumn.version)),
            device: DeviceID(try result.uuid(row: row, column: LoadColumn.device)),
            incarnation: Incarnation(try result.int8(row: row, column: LoadColumn.incarnation)),
            sequence: DeviceSequence(try result.int8(row: row, column: LoadColumn.sequence)),
            id: EventID(try result.uuid(row: row, column: LoadColumn.event)),
            type: try result.text(row: row, column: LoadColumn.key),
            app: app,
            occurredAt: Timestamp(microseconds: try result.timestamptz(row: row, column: LoadColumn.occurredAt)),
            recordedAt: Timestamp(microseconds: try result.timestamptz(row: row, column: LoadColumn.recordedAt)),
            schemaVersion: try result.int4(row: row, column: LoadColumn.schemaVersion),
            encoding: try result.int2(row: row, column: LoadColumn.encoding),
            payload: try result.bytes(row: row, column: LoadColumn.value))
    }
}
