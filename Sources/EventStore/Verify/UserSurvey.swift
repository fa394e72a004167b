import FocusCore
import Foundation
import PostgresClient
import SeededNumbers

/// The users that the log or the read model knows, page by page in order of their ids.
public struct UserSurvey: Sendable {
    /// Users read at once.
    private let page: Int

    public init(page: Int = 500) { self.page = page }

    /// Up to `page` users of a partition after `user`; nil: from the first one on.
    public func users(
        of head: PartitionHead, after user: UserID?, on connection: PostgresConnection
    ) throws(PostgresError) -> [UserID] {
        let result = try connection.query(
            Generation(head.generation).statement(Queries.findUsers),
            [.int4(head.partition.rawValue), .uuid((user ?? .beforeAll).uuid), .int8(Int64(page))])
        var users: [UserID] = []
        for row in 0..<result.rowCount { users.append(UserID(try result.uuid(row: row, column: 0))) }
        return users
    }

    /// Every user of some partitions, one by one.
    public func forEach(
        _ heads: [PartitionHead], on connection: PostgresConnection, _ body: (Partition, UserID) throws -> Void
    ) throws {
        for head in heads {
            var last: UserID?
            while true {
                let users = try users(of: head, after: last, on: connection)
                for user in users { try body(head.partition, user) }
                guard users.count == page, let end = users.last else { break }
                last = end
            }
        }
    }

    /// `count` users, any set of them as likely as any other, and the same for the same seed and users: those with the
    /// least hashes. Asks for every user's id, and keeps no more than `count`.
    public func sample(
        _ count: Int, seed: UInt64, of heads: [PartitionHead], on connection: PostgresConnection
    ) throws -> [(Partition, UserID)] {
        var kept: [(rank: UInt64, partition: Partition, user: UserID)] = []
        try forEach(heads, on: connection) { partition, user in
            kept.append((Self.rank(user, seed), partition, user))
            // Sorted now and then: cheaper than keeping order all the time.
            if kept.count >= 2 * count + 1_000 { Self.cut(&kept, to: count) }
        }
        Self.cut(&kept, to: count)
        return kept.map { ($0.partition, $0.user) }
    }

    private static func cut(_ kept: inout [(rank: UInt64, partition: Partition, user: UserID)], to count: Int) {
        kept.sort { ($0.rank, $0.user) < ($1.rank, $1.user) }
        kept.removeLast(max(0, kept.count - count))
    }

    /// A number that looks random, and is the same for the same user and seed.
    private static func rank(_ user: UserID, _ seed: UInt64) -> UInt64 {
        let (high, low) = withUnsafeBytes(of: user.uuid.uuid) { $0.loadUnaligned(as: (UInt64, UInt64).self) }
        return SplitMix64.mixed(SplitMix64.mixed(SplitMix64.mixed(seed) ^ high.bigEndian) ^ low.bigEndian)
    }
}
