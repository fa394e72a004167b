import EventStore
import FocusCore
import Foundation
import PostgresClient
import Support
import Testing

@Suite("The log is append-only")
struct AppendOnlyTests {
    private let fixture: StoreFixture

    init() throws {
        fixture = try StoreFixture()
        let user = UserID(UUID())
        let batch = PartitionAppend(
            partition: Partition(0), expectedOffset: .zero,
            events: [.any(user: user, version: 1, offset: 0), .any(user: user, version: 2, offset: 1)])
        _ = try LogWriter().appendToEnd([batch], on: fixture.connection())
    }

    private static let changes = [
        "UPDATE events SET payload = 'x' WHERE partition = 0", "DELETE FROM events WHERE partition = 0",
        "TRUNCATE events",
        "UPDATE log SET partitions = 3", "DELETE FROM log", "TRUNCATE log", "UPDATE log SET log_id = gen_random_uuid()",
        "UPDATE log SET hash = 'other'", "UPDATE log SET created_at = created_at + interval '1 s'",
        "UPDATE log SET format = format - 1", "UPDATE log SET format = format + 1, partitions = 3",
    ]

    @Test("The server's role has no right to change or remove what is logged", arguments: changes)
    func refusedByGrant(_ change: String) throws {
        let connection = try fixture.connection()
        let error = #expect(throws: PostgresError.self) { try connection.execute(change) }
        #expect(error?.kind == .insufficientPrivilege)
        #expect(try connection.integer("SELECT count(*) FROM events") == 2)
    }

    @Test("The tables' owner, a superuser, is refused by a trigger", arguments: changes)
    func refusedByTrigger(_ change: String) throws {
        let connection = try fixture.owner()
        let error = #expect(throws: PostgresError.self) { try connection.execute(change) }
        #expect(error?.kind == .raised)
        #expect(try connection.integer("SELECT count(*) FROM events") == 2)
    }

    @Test("The server's role owns nothing, and may not remove the triggers or give itself rights")
    func roleOwnsNothing() throws {
        let connection = try fixture.connection()
        for change in [
            "ALTER TABLE events DISABLE TRIGGER ALL", "DROP TABLE events", "DELETE FROM log_partitions",
            "UPDATE generations SET fold_version = 9",
        ] {
            let error = #expect(throws: PostgresError.self) { try connection.execute(change) }
            #expect(error?.kind == .insufficientPrivilege, "\(change)")
        }
        // PostgreSQL answers this GRANT with a warning, not an error.
        try connection.execute("GRANT DELETE ON events TO current_role")
        #expect(try connection.integer("SELECT has_table_privilege('events', 'DELETE')::integer") == 0)
        #expect(try connection.integer("SELECT count(*) FROM pg_class c WHERE c.relowner = current_role::regrole") == 0)
    }
}
