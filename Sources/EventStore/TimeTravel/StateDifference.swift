import FocusCore
import PostgresClient

/// Which rows of a user were different at two versions, and which events made them so.
public struct StateDifference: Sendable {
    public struct Cause: Hashable, Sendable {
        public var version: Version
        public var event: EventID
        /// An `EventType` raw value.
        public var type: String
        public var device: DeviceID
        public var occurredAt: Timestamp
        public var recordedAt: Timestamp
    }

    public struct Change: Hashable, Sendable {
        public var key: RowKey
        /// The value at `from`; nil when there was no such row.
        public var before: [UInt8]?
        public var after: [UInt8]?
        /// The last events that changed what devices see of the row, at most `causeLimit`.
        public var causes: [Cause]
        /// How many such events came before those.
        public var omittedCauses: Int
    }

    /// How many causes of one row are kept at most.
    public static let causeLimit = 10

    public let from: Version
    public let to: Version
    /// Sorted by key. A row that changed and changed back is not among them.
    public let changes: [Change]

    /// Compares the states at `from` and `to`, `from` ≤ `to` ≤ `head`. Throws what `StateReader.state` throws.
    /// - Parameter beside: a second connection, so that both states are made at the same time.
    public init(
        of user: UserID, in partition: Partition, from: Version, to: Version, head: Version, with reader: StateReader,
        on connection: PostgresConnection, beside: PostgresConnection? = nil
    ) throws {
        self.from = from
        self.to = to
        if let found = try Self.quickly(user, partition, from, to, head, reader, connection, beside) {
            changes = found
            return
        }
        var kept = try reader.begin(user, in: partition, at: from, on: connection)
        try reader.fold(&kept, in: partition, through: from, head: head, on: connection)
        var before = kept.state
        before.endChanges()
        var causes = RowCauses(after: before, through: to, limit: Self.causeLimit)
        try reader.fold(&kept, in: partition, through: to, head: head, on: connection) { causes.add($0) }
        changes = try Self.changes(before, kept.state, causes, partition, connection)
    }

    /// From states near both ends and what was kept of the changes between them, without folding all of it; nil when
    /// too little is kept.
    private static func quickly(
        _ user: UserID, _ partition: Partition, _ from: Version, _ to: Version, _ head: Version, _ reader: StateReader,
        _ connection: PostgresConnection, _ beside: PostgresConnection?
    ) throws -> [Change]? {
        guard let versions = reader.keptVersions(user, past: from, upTo: to), let last = versions.last,
            reader.isNear(last, to, head: head)
        else { return nil }
        let folding = try reader.beginFolding(user, in: partition, from: last, through: to, head: head, beside: beside)
        let made = Result { try reader.state(of: user, in: partition, at: from, head: head, on: connection) }
        guard let after = try folding(connection) else { return nil }
        let before = try made.get()
        var causes = RowCauses(after: before, through: to, limit: causeLimit)
        for version in versions {
            guard let kept = reader.changes(of: user, upTo: version) else { return nil }
            // What was kept ends where the state began, in the same history.
            if version == last, kept.end != after.start { return nil }
            causes.add(kept.changes)
        }
        for changes in after.changes { causes.add(changes) }
        return try Self.changes(before, after.state, causes, partition, connection)
    }

    private static func changes(
        _ before: UserState, _ after: UserState, _ causes: RowCauses, _ partition: Partition,
        _ connection: PostgresConnection
    ) throws -> [Change] {
        let rows = causes.rows.filter { before.value(of: $0.key) != after.value(of: $0.key) }.sorted { $0.key < $1.key }
        let versions = Set(rows.flatMap(\.value.last)).sorted()
        let events = try Cause.all(of: before.user, partition, at: versions, on: connection)
        return try rows.map { key, known in
            Change(
                key: key, before: before.value(of: key), after: after.value(of: key),
                causes: try known.last.map { version in
                    guard let cause = events[version] else {
                        throw EventStoreError.corrupt("the log has no version \(version) of a user")
                    }
                    return cause
                }, omittedCauses: known.omitted)
        }
    }
}

extension StateDifference.Cause {
    /// How many events one statement reads.
    private static let atOnce = 2_000

    /// The events at some versions of a user's stream.
    fileprivate static func all(
        of user: UserID, _ partition: Partition, at versions: [Version], on connection: PostgresConnection
    ) throws -> [Version: Self] {
        var causes: [Version: Self] = [:]
        var rest = versions[...]
        while !rest.isEmpty {
            let result = try connection.query(
                Queries.findEventsAt,
                [
                    .int4(partition.rawValue), .uuid(user.uuid),
                    .int8Array(rest.prefix(atOnce).map(\.rawValue)),
                ])
            rest = rest.dropFirst(atOnce)
            for row in 0..<result.rowCount {
                let cause = try Self(result, row: row)
                causes[cause.version] = cause
            }
        }
        return causes
    }

    private init(_ result: PostgresResult, row: Int) throws(PostgresError) {
        self.init(
            version: Version(try result.int8(row: row, column: 0)),
            event: EventID(try result.uuid(row: row, column: 1)),
            type: try result.text(row: row, column: 2), device: DeviceID(try result.uuid(row: row, column: 3)),
            occurredAt: Timestamp(microseconds: try result.timestamptz(row: row, column: 4)),
            recordedAt: Timestamp(microseconds: try result.timestamptz(row: row, column: 5)))
    }
}
