import FocusCore
import PostgresClient

/// A viewer who may be in the audience of a user (rule F5).
public struct AudienceEntry: Hashable, Sendable {
    public var partition: Partition
    public var user: UserID
    public var viewer: UserID
    /// Nil: in any app.
    public var app: AppID?

    public init(partition: Partition, user: UserID, viewer: UserID, app: AppID?) {
        (self.partition, self.user, self.viewer, self.app) = (partition, user, viewer, app)
    }
}

extension AudienceEntry: Comparable {
    public static func < (a: Self, b: Self) -> Bool {
        (a.user, a.viewer, a.app?.rawValue ?? "") < (b.user, b.viewer, b.app?.rawValue ?? "")
    }
}

/// Who may be in the audiences that were asked for, as of one moment.
public struct FoundAudiences: Sendable {
    /// The entries that the read model has, and those of users of whom it lacks events.
    public var possible: Set<AudienceEntry>
    /// Where the entries' partitions ended at that moment.
    public var heads: Set<PartitionHead>

    public init(possible: Set<AudienceEntry>, heads: Set<PartitionHead>) {
        (self.possible, self.heads) = (possible, heads)
    }
}

/// Asks who is in the audience of users, by key: two probes of an index each, however much there is of the user.
public struct AudienceReader: Sendable {
    public init() {}

    /// Throws `PostgresError`; its `isUndefinedTable` says that the generation was dropped. Entries of partitions that
    /// do not exist are not possible.
    public func find(
        _ entries: [AudienceEntry], generation: Int32, on connection: PostgresConnection
    ) throws(PostgresError) -> FoundAudiences {
        let result = try connection.query(
            Generation(generation).statement(Queries.findAudiences),
            [
                .int4Array(entries.map(\.partition.rawValue)), .uuidArray(entries.map(\.user.uuid)),
                .uuidArray(entries.map(\.viewer.uuid)), .textArray(entries.map { $0.app?.rawValue ?? "" }),
            ])
        var found = FoundAudiences(possible: [], heads: [])
        for row in 0..<result.rowCount {
            found.heads.insert(try PartitionHead(result, row: row))
            let index = Int(exactly: try result.int8(row: row, column: 5))
            guard let index, entries.indices.contains(index), try result.bool(row: row, column: 6) else { continue }
            found.possible.insert(entries[index])
        }
        return found
    }
}
