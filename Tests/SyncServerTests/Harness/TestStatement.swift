import FocusCore
import PostgresClient

/// Statements that only tests run.
enum TestStatement {
    static let countEvents = Statement(name: "test_count_events", sql: "SELECT count(*) FROM events")
    static let lockCheckpoints = Statement(
        name: "test_lock_checkpoints", sql: "SELECT 1 FROM read_1.checkpoints FOR UPDATE")
    static let sumCheckpoints = Statement(
        name: "test_sum_checkpoints", sql: "SELECT sum(log_offset)::bigint FROM read_1.checkpoints")
    static let expirations = Statement(
        name: "test_expirations", sql: "SELECT occurred_at FROM events WHERE type = 'focus.expired'")
    /// Partitions whose offsets are not 0, 1, 2 … up to next_offset.
    static let gaps = Statement(
        name: "test_gaps",
        sql: """
            SELECT count(*) FROM log_partitions p WHERE next_offset <>
              (SELECT count(*) FROM events e WHERE e.partition = p.partition AND e.log_offset < p.next_offset)
            """)

    /// What only a damaged database has: a user without its rows and with a hole in its stream.
    static func damage(_ user: UserID) -> String {
        """
        ALTER TABLE events DISABLE TRIGGER ALL;
        DELETE FROM events WHERE user_id = '\(user)' AND version = 1;
        DELETE FROM read_1.users WHERE user_id = '\(user)';
        """
    }
}
