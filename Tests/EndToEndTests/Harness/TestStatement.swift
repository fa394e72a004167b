import FocusCore
import PostgresClient

/// SQL that only tests run.
enum TestStatement {
    /// Ends all sessions on this database except the caller's.
    static let endSessions = Statement(
        name: "test_end_sessions",
        sql: """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
    /// Counts events, without those that the server logs of incarnations before their first event.
    static let countEvents = Statement(
        name: "test_count_events", sql: "SELECT count(*) FROM events WHERE type <> 'device.incarnationBegan'")
    static let countAllEvents = Statement(name: "test_count_all_events", sql: "SELECT count(*) FROM events")
    /// The ids of all events of devices, in any order, including refused ones.
    static let loggedIDs = Statement(
        name: "test_logged_ids",
        sql: "SELECT event_id FROM events WHERE device_id <> '00000000-0000-0000-0000-000000000000'")
    static let lockCheckpoints = Statement(
        name: "test_lock_checkpoints", sql: "SELECT 1 FROM read_1.checkpoints FOR UPDATE")
    /// Counts the events of `countEvents` that the read model has.
    static let sumCheckpoints = Statement(
        name: "test_sum_checkpoints",
        sql: """
            SELECT count(*) FROM events e JOIN read_1.checkpoints c USING (partition)
            WHERE e.log_offset < c.log_offset AND e.type <> 'device.incarnationBegan'
            """)
    /// Counts badges of 99 in generation 2.
    static let countWrongBadges = Statement(
        name: "test_count_wrong_badges", sql: "SELECT count(*) FROM read_2.badges WHERE value = '\\x0863'")
    static let expirations = Statement(
        name: "test_expirations", sql: "SELECT occurred_at FROM events WHERE type = 'focus.expired'")
    /// The server's timer events, in the order of the log.
    static let countType = Statement(
        name: "test_count_type", sql: "SELECT count(*) FROM events WHERE type::text = $1")
    static let timers = Statement(
        name: "test_timers",
        sql: """
            SELECT user_id, type::text, occurred_at, recorded_at, device_seq FROM events
            WHERE device_id = '00000000-0000-0000-0000-000000000000'
                AND type IN ('focus.expired', 'summary.delivered', 'alert.ringsElsewhere')
            ORDER BY partition, log_offset
            """)
    static let countDue = Statement(
        name: "test_count_due", sql: "SELECT count(*) FROM read_1.users WHERE due_at IS NOT NULL")
    static let lockPartitions = Statement(
        name: "test_lock_partitions", sql: "SELECT 1 FROM log_partitions FOR UPDATE")
    static let lockPartition = Statement(
        name: "test_lock_partition", sql: "SELECT 1 FROM log_partitions WHERE partition = $1 FOR UPDATE")
    /// Counts sessions on this database that wait for a lock.
    static let countWaiting = Statement(
        name: "test_count_waiting",
        sql: """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'
            """)
    /// Adds users without rows, who therefore do not load, and marks them as due long ago.
    static let addBrokenUsers = Statement(
        name: "test_add_broken_users",
        sql: """
            INSERT INTO read_1.users (partition, user_id, version, due_at)
            SELECT 0, gen_random_uuid(), 1, '1970-01-01T00:00:00Z' FROM generate_series(1, $1::integer)
            """)

    /// Counts partitions whose offsets are not 0, 1, 2 … up to next_offset.
    static let gaps = Statement(
        name: "test_gaps",
        sql: """
            SELECT count(*) FROM log_partitions p WHERE next_offset <>
              (SELECT count(*) FROM events e WHERE e.partition = p.partition AND e.log_offset < p.next_offset)
            """)

    /// Counts events that were recorded before the event in front of them.
    static let countBackwards = Statement(
        name: "test_count_backwards",
        sql: """
            SELECT count(*) FROM (
              SELECT recorded_at < lag(recorded_at) OVER (PARTITION BY partition ORDER BY log_offset) AS is_back
              FROM events
            ) AS places WHERE is_back
            """)

    /// Counts events recorded in the future, by the database's clock.
    static let countFuture = Statement(
        name: "test_count_future",
        sql: "SELECT count(*) FROM events WHERE recorded_at > clock_timestamp() + interval '2 seconds'")

    /// Counts users whose versions are not 1, 2, 3 …
    static let gapsOfUsers = Statement(
        name: "test_gaps_of_users",
        sql: """
            SELECT count(*) FROM (
              SELECT 1 FROM events GROUP BY user_id HAVING count(*) <> max(version) OR min(version) <> 1
            ) AS users
            """)

    /// Allows or forbids the empty commit by which a server confirms what it read.
    static func mayConfirm(_ mayConfirm: Bool) -> String {
        let (verb, end) = mayConfirm ? ("GRANT", "TO") : ("REVOKE", "FROM")
        return """
            DO $$
            DECLARE f regprocedure;
            BEGIN
                FOR f IN SELECT oid FROM pg_proc WHERE proname = 'pg_logical_emit_message'
                LOOP
                    EXECUTE format('\(verb) EXECUTE ON FUNCTION %s \(end) PUBLIC', f);
                END LOOP;
            END $$
            """
    }

    /// Counts partitions whose events are not all in the read model.
    static let unprojected = Statement(
        name: "test_unprojected",
        sql: """
            SELECT count(*) FROM log_partitions p JOIN read_1.checkpoints c USING (partition)
            WHERE c.log_offset <> p.next_offset
            """)

    /// Cuts partition 0 after its first events, in one transaction; the read model becomes empty.
    static func cutEnd(keeping kept: Int) -> String {
        """
        SET session_replication_role = replica;
        UPDATE read_1.checkpoints SET log_offset = 0;
        DELETE FROM events WHERE partition = 0 AND log_offset >= \(kept);
        DO $$
        DECLARE shown record;
        BEGIN
            FOR shown IN SELECT relname FROM pg_class WHERE relnamespace = 'read_1'::regnamespace AND relkind = 'r'
                AND relname <> 'checkpoints'
            LOOP
                EXECUTE format('DELETE FROM read_1.%I', shown.relname);
            END LOOP;
        END $$;
        UPDATE log_partitions p
        SET next_offset = e.log_offset + 1, last_recorded_at = e.recorded_at, last_event_id = e.event_id
        FROM events e WHERE p.partition = 0 AND e.partition = 0 AND e.log_offset = \(kept - 1);
        SET session_replication_role = origin;
        """
    }

    /// Cuts partition 0, and appends `count` events of another user in the same transaction.
    static func otherEnd(keeping kept: Int, behindIt count: Int) -> String {
        cutEnd(keeping: kept) + """
            SET session_replication_role = replica;
            WITH other AS MATERIALIZED (SELECT gen_random_uuid() AS id), added AS (
                INSERT INTO events (
                    partition, log_offset, user_id, version, device_id, incarnation, device_seq, event_id, type, app_id,
                    occurred_at, recorded_at, schema_version, encoding, payload)
                SELECT
                    0, \(kept - 1) + n, other.id, n, other.id, 1, n, gen_random_uuid(), 'badge.cleared', 'a',
                    e.occurred_at, e.recorded_at, 1, 0, ''
                FROM other, generate_series(1, \(count)) AS n, events e
                WHERE e.partition = 0 AND e.log_offset = \(kept - 1)
                RETURNING log_offset, event_id, recorded_at
            )
            UPDATE log_partitions p
            SET next_offset = a.log_offset + 1, last_recorded_at = a.recorded_at, last_event_id = a.event_id
            FROM added a WHERE p.partition = 0 AND a.log_offset = \(kept + count - 1);
            SET session_replication_role = origin
            """
    }

    /// Damages a user as no program does: deletes the user's row and an event of the stream.
    static func damage(_ user: UserID) -> String {
        """
        ALTER TABLE events DISABLE TRIGGER ALL;
        DELETE FROM events WHERE user_id = '\(user)' AND version = 1;
        DELETE FROM read_1.users WHERE user_id = '\(user)';
        """
    }

    /// Damages a user's last event as no program does: no program knows such an encoding.
    static func makeUnreadable(_ user: UserID) -> String {
        """
        ALTER TABLE events DISABLE TRIGGER ALL;
        UPDATE events SET encoding = 9 WHERE user_id = '\(user)'
        AND version = (SELECT max(version) FROM events WHERE user_id = '\(user)');
        """
    }

    /// Marks a user as due long ago, which is wrong.
    static func makeStale(_ user: UserID) -> String {
        "UPDATE read_1.users SET due_at = '1970-01-01T00:00:00Z' WHERE user_id = '\(user)'"
    }

    /// Makes a user's device rows unreadable; `mendDevices` makes them readable again.
    static func breakDevices(_ user: UserID) -> String {
        "UPDATE read_1.devices SET memo = '\\xff' || memo WHERE user_id = '\(user)'"
    }

    static func mendDevices(_ user: UserID) -> String {
        "UPDATE read_1.devices SET memo = substring(memo FROM 2) WHERE user_id = '\(user)'"
    }

    /// Damages a row as no program does: it does not fold, and the user's due time is from before the damage.
    static func spoil(_ user: UserID) -> String {
        "UPDATE read_1.active_focus SET memo = '\\xff' WHERE user_id = '\(user)'"
    }
}
