-- Events of a user from an offset on, past a version, in order. $5: at most so many.
SELECT
    e.partition, e.log_offset, e.user_id, e.version, e.device_id, e.incarnation, e.device_seq, e.event_id,
    e.type::text, e.app_id, e.occurred_at, e.recorded_at, e.schema_version, e.encoding, e.payload
FROM events e
WHERE e.partition = $1 AND e.user_id = $2 AND e.version > $3 AND e.log_offset >= $4
ORDER BY e.version
LIMIT $5
