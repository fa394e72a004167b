import FocusCore
import Foundation
import PostgresClient
import Testing

@testable import EventStore

/// A random history, logged and projected, for a rebuild.
struct RebuildFixture {
    let fixture: StoreFixture
    let history: RandomHistory
    let owner: PostgresConnection
    let connection: PostgresConnection

    init(seed: UInt64 = 5, users: Int = 12, events: Int = 900, projected: Bool = true) throws {
        fixture = try StoreFixture()
        history = try RandomHistory(seed: seed, users: users, events: events)
        (owner, connection) = (try fixture.owner(), try fixture.connection())
        try history.log(on: connection)
        if projected { try history.project(history.users, upTo: end, on: connection) }
    }

    var end: LogOffset { LogOffset(Int64(history.events.count)) }

    func rebuilder(
        _ change: (inout RebuildOptions) -> Void = { _ in }, refused: @escaping @Sendable () -> Void = {}
    ) -> Rebuilder {
        var options = RebuildOptions()
        options.maximumLoad = 100
        change(&options)
        return Rebuilder(PostgresConfiguration(conninfo: fixture.conninfo), options: options, refused: refused)
    }

    /// How many rows one generation has and the other lacks, by table; compares bytes and the columns for people.
    func differences(_ one: Int32, _ other: Int32) throws -> [String: Int64] {
        var found: [String: Int64] = [:]
        let tables = try owner.query(
            Statement(
                name: "test_tables",
                sql: "SELECT tablename::text FROM pg_tables WHERE schemaname = 'read_1' ORDER BY tablename"))
        for row in 0..<tables.rowCount {
            let table = try tables.text(row: row, column: 0)
            // How large users are is an estimate, and a matter of how they came to be.
            let columns = table == "users" ? "partition, user_id, version, due_at" : "*"
            let rows = { (generation: Int32) in "SELECT \(columns) FROM read_\(generation).\(table)" }
            let count = try owner.integer(
                """
                SELECT (SELECT count(*) FROM (\(rows(one)) EXCEPT \(rows(other))) a)
                    + (SELECT count(*) FROM (\(rows(other)) EXCEPT \(rows(one))) b)
                """)
            if count > 0 { found[table] = count }
        }
        return found
    }

    /// The rebuild events in the log, in its order.
    func rebuilt() throws -> [(user: UserID, version: Version, body: ProjectionRebuilt)] {
        let head = try #require(try LogReader().heads(of: [RandomHistory.partition], on: connection).first)
        let events = try LogReader().events(
            partition: RandomHistory.partition, from: end, limit: Int(head.nextOffset.rawValue), on: connection)
        return try events.map { event in
            guard case .projectionRebuilt(let body) = try event.decoded().body else {
                throw EventStoreError.corrupt("another event")
            }
            return (event.user, event.version, body)
        }
    }

    /// Expects every user in the read model to be as the events make them.
    func expectVerified(sourceLocation: SourceLocation = #_sourceLocation) throws {
        for user in history.users {
            let found = try UserVerifier().verify(user, in: RandomHistory.partition, on: connection)
            guard case .equal = found.verdict else {
                Issue.record("\(found)", sourceLocation: sourceLocation)
                return
            }
        }
    }
}
