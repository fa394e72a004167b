import FocusCore
import PostgresClient

/// Statements that only tests run.
enum TestStatement {
    /// Ends all sessions on this database but one's own.
    static let endSessions = Statement(
        name: "test_end_sessions",
        sql: """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
    /// Without what the server says of incarnations before their first event.
    static let countEvents = Statement(
        name: "test_count_events", sql: "SELECT count(*) FROM events WHERE type <> 'device.incarnationBegan'")
    /// Of devices, in any order; a refused event has its id too.
    static let loggedIDs = Statement(
        name: "test_logged_ids",
        sql: "SELECT event_id FROM events WHERE device_id <> '00000000-0000-0000-0000-000000000000'")
    static let lockCheckpoints = Statement(
        name: "test_lock_checkpoints", sql: "SELECT 1 FROM read_1.checkpoints FOR UPDATE")
    /// Events of `countEvents` that the read model has.
    static let sumCheckpoints = Statement(
        name: "test_sum_checkpoints",
        sql: """
            SELECT count(*) FROM events e JOIN read_1.checkpoints c USING (partition)
            WHERE e.log_offset < c.log_offset AND e.type <> 'device.incarnationBegan'
            """)
    /// Of generation 2: badges that say 99.
    static let countWrongBadges = Statement(
        name: "test_count_wrong_badges", sql: "SELECT count(*) FROM read_2.badges WHERE value = '\\x0863'")
    static let expirations = Statement(
        name: "test_expirations", sql: "SELECT occurred_at FROM events WHERE type = 'focus.expired'")
    /// What became due, in the order of the log.
    static let timers = Statement(
        name: "test_timers",
        sql: """
            SELECT user_id, type::text, occurred_at, recorded_at, device_seq FROM events
            WHERE device_id = '00000000-0000-0000-0000-000000000000'
                AND type IN ('focus.expired', 'summary.delivered')
            ORDER BY partition, log_offset
            """)
    static let countDue = Statement(
        name: "test_count_due", sql: "SELECT count(*) FROM read_1.users WHERE due_at IS NOT NULL")
    static let lockPartitions = Statement(
        name: "test_lock_partitions", sql: "SELECT 1 FROM log_partitions FOR UPDATE")
    /// Sessions on this database that wait for somebody's lock.
    static let countWaiting = Statement(
        name: "test_count_waiting",
        sql: """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'
            """)
    /// Users without rows, and so broken, of whom the read model says that something was due long ago.
    static let addBrokenUsers = Statement(
        name: "test_add_broken_users",
        sql: """
            INSERT INTO read_1.users (partition, user_id, version, due_at)
            SELECT 0, gen_random_uuid(), 1, '1970-01-01T00:00:00Z' FROM generate_series(1, $1::integer)
            """)

    /// Partitions whose offsets are not 0, 1, 2 … up to next_offset.
    static let gaps = Statement(
        name: "test_gaps",
        sql: """
            SELECT count(*) FROM log_partitions p WHERE next_offset <>
              (SELECT count(*) FROM events e WHERE e.partition = p.partition AND e.log_offset < p.next_offset)
            """)

    /// Events that were recorded before the one that stands before them.
    static let countBackwards = Statement(
        name: "test_count_backwards",
        sql: """
            SELECT count(*) FROM (
              SELECT recorded_at < lag(recorded_at) OVER (PARTITION BY partition ORDER BY log_offset) AS is_back
              FROM events
            ) AS places WHERE is_back
            """)

    /// Events that were recorded after now, by the database's clock.
    static let countFuture = Statement(
        name: "test_count_future",
        sql: "SELECT count(*) FROM events WHERE recorded_at > clock_timestamp() + interval '2 seconds'")

    /// What only a damaged database has: a user without its rows and with a hole in its stream.
    static func damage(_ user: UserID) -> String {
        """
        ALTER TABLE events DISABLE TRIGGER ALL;
        DELETE FROM events WHERE user_id = '\(user)' AND version = 1;
        DELETE FROM read_1.users WHERE user_id = '\(user)';
        """
    }

    /// Says that something was due long ago, which is wrong.
    static func makeStale(_ user: UserID) -> String {
        "UPDATE read_1.users SET due_at = '1970-01-01T00:00:00Z' WHERE user_id = '\(user)'"
    }

    /// What only a damaged database has: rows that do not fold, and a due time from before the damage.
    static func spoil(_ user: UserID) -> String {
        "UPDATE read_1.active_focus SET memo = '\\xff' WHERE user_id = '\(user)'"
    }
}
