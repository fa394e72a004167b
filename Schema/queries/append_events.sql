-- Appends to several partitions at once: compare, swap and insert in one autocommit statement.
-- $1–$8: one element per partition; $9–$23: one element per event. A partition that does not end with the expected
-- event at the expected offset is left alone, and so are its events. Returns the partitions that went through.
WITH locked AS MATERIALIZED (
    -- Ascending order, so that two writers never wait for each other.
    SELECT
        p.partition, b.next_offset, b.last_event_id, b.last_recorded_at,
        b.first_recorded_at >= p.last_recorded_at AS is_in_order
    FROM unnest(
        $1::integer[], $2::bigint[], $3::uuid[], $4::timestamptz[], $5::bigint[], $6::uuid[], $7::timestamptz[],
        $8::timestamptz[]
    ) AS b (
        partition, expected_offset, expected_event_id, expected_recorded_at, next_offset, last_event_id,
        first_recorded_at, last_recorded_at
    )
    -- A device may bring the same event back to the same place of another history; not at the same moment.
    JOIN log_partitions p ON p.partition = b.partition AND p.next_offset = b.expected_offset
        AND p.last_event_id = b.expected_event_id AND p.last_recorded_at = b.expected_recorded_at
    ORDER BY p.partition
    FOR UPDATE OF p
), moved AS (
    UPDATE log_partitions p
    -- NULL breaks NOT NULL: a writer whose recorded_at goes backwards is wrong, and its statement fails as a whole.
    SET next_offset = l.next_offset,
        last_event_id = l.last_event_id,
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
            unnest($9::integer[]), unnest($10::bigint[]), unnest($11::uuid[]), unnest($12::bigint[]),
            unnest($13::uuid[]), unnest($14::bigint[]), unnest($15::bigint[]), unnest($16::uuid[]),
            unnest($17::text[]), unnest($18::text[]), unnest($19::timestamptz[]), unnest($20::timestamptz[]),
            unnest($21::integer[]), unnest($22::smallint[]), unnest($23::bytea[])
    ) AS e (
        partition, log_offset, user_id, version, device_id, incarnation, device_seq, event_id, type, app_id,
        occurred_at, recorded_at, schema_version, encoding, payload
    )
    WHERE e.partition = ANY (ARRAY(SELECT m.partition FROM moved m))
)
SELECT partition, generation FROM moved
