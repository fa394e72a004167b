-- Appends to several partitions at once: compare, swap and insert in one autocommit statement (architecture.md §1).
-- $1–$5: one element per partition; $6–$20: one element per event. A partition whose next_offset is not the expected
-- one is left alone, and so are its events. Returns the partitions that went through.
WITH locked AS MATERIALIZED (
    -- Ascending order, so that two writers never wait for each other.
    SELECT p.partition, b.next_offset, b.last_recorded_at, b.first_recorded_at >= p.last_recorded_at AS is_in_order
    FROM unnest($1::integer[], $2::bigint[], $3::bigint[], $4::timestamptz[], $5::timestamptz[])
        AS b (partition, expected_offset, next_offset, first_recorded_at, last_recorded_at)
    JOIN log_partitions p ON p.partition = b.partition AND p.next_offset = b.expected_offset
    ORDER BY p.partition
    FOR UPDATE OF p
), moved AS (
    UPDATE log_partitions p
    -- NULL breaks NOT NULL: a writer whose recorded_at goes backwards is wrong, and its statement fails as a whole.
    SET next_offset = l.next_offset,
        last_recorded_at = CASE WHEN l.is_in_order THEN l.last_recorded_at END
    FROM locked l
    WHERE p.partition = l.partition
    RETURNING p.partition, p.generation
), inserted AS (
    INSERT INTO events (
        partition, log_offset, user_id, version, device_id, incarnation, device_seq, event_id, type, app_id,
        occurred_at, recorded_at, schema_version, encoding, payload
    )
    SELECT
        partition, log_offset, user_id, version, device_id, incarnation, device_seq, event_id, type::event_type, app_id,
        occurred_at, recorded_at, schema_version, encoding, payload
    -- unnest in the select list runs in step without materialising; in FROM it costs 10 % of the whole statement. And
    -- a filter by array, not a join: its plan cannot go wrong.
    FROM (
        SELECT
            unnest($6::integer[]), unnest($7::bigint[]), unnest($8::uuid[]), unnest($9::bigint[]), unnest($10::uuid[]),
            unnest($11::bigint[]), unnest($12::bigint[]), unnest($13::uuid[]), unnest($14::text[]), unnest($15::text[]),
            unnest($16::timestamptz[]), unnest($17::timestamptz[]), unnest($18::integer[]), unnest($19::smallint[]),
            unnest($20::bytea[])
    ) AS e (
        partition, log_offset, user_id, version, device_id, incarnation, device_seq, event_id, type, app_id,
        occurred_at, recorded_at, schema_version, encoding, payload
    )
    WHERE e.partition = ANY (ARRAY(SELECT m.partition FROM moved m))
)
SELECT partition, generation FROM moved
