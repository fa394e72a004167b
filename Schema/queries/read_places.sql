-- Events of a device incarnation between two of its sequences, both ends included, in ranges of the user's stream, in
-- order. $1, $2: partition and user. $3, $4: first and last version of each range. $5, $6: device and incarnation. $7,
-- $8: sequences. $9: payloads of accepted events are left out once the events before have so many bytes; the last column
-- says whether the payload is there. OFFSET 0 keeps each range a question of its own: where most users have few events,
-- the plan would read the whole stream of one who has a million and look which of its events are in a range.
WITH found AS (
    SELECT
        e.*,
        e.type::text = 'event.refused' OR sum(octet_length(e.payload)) OVER (ORDER BY e.version) <= $9 AS is_whole
    FROM unnest($3::bigint[], $4::bigint[]) AS r (first_version, last_version)
    CROSS JOIN LATERAL (
        SELECT * FROM events
        WHERE events.partition = $1 AND events.user_id = $2
            AND events.version BETWEEN r.first_version AND r.last_version
        OFFSET 0
    ) AS e
    WHERE e.device_id = $5 AND e.incarnation = $6 AND e.device_seq BETWEEN $7 AND $8
)
SELECT
    f.partition, f.log_offset, f.user_id, f.version, f.device_id, f.incarnation, f.device_seq, f.event_id,
    f.type::text, f.app_id, f.occurred_at, f.recorded_at, f.schema_version, f.encoding,
    CASE WHEN f.is_whole THEN f.payload ELSE '' END, f.is_whole
FROM found f
ORDER BY f.version
