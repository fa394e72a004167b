-- Events of a user from an offset on, past a version, in order. $5: at most so many. $6: so many bytes of payload, which
-- the last one may pass.
SELECT
    e.partition, e.log_offset, e.user_id, e.version, e.device_id, e.incarnation, e.device_seq, e.event_id,
    e.type::text, e.app_id, e.occurred_at, e.recorded_at, e.schema_version, e.encoding, e.payload
FROM (
    SELECT
        t.*,
        sum(octet_length(t.payload)) OVER (ORDER BY t.version ROWS UNBOUNDED PRECEDING)
            - octet_length(t.payload) AS before
    FROM events t
    WHERE t.partition = $1 AND t.user_id = $2 AND t.version > $3 AND t.log_offset >= $4
    ORDER BY t.version
    LIMIT $5
) e
WHERE e.before < $6::bigint
ORDER BY e.version
