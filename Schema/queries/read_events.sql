-- Events of a partition from an offset on, in order. $3: at most so many.
SELECT
    e.partition, e.log_offset, e.user_id, e.version, e.device_id, e.incarnation, e.device_seq, e.event_id,
    e.type::text, e.app_id, e.occurred_at, e.recorded_at, e.schema_version, e.encoding, e.payload
FROM events e
WHERE e.partition = $1 AND e.log_offset >= $2
ORDER BY e.log_offset
LIMIT $3
