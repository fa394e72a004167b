-- Events of some types within a chunk of a partition, in order. $5: at most so many.
SELECT
    e.partition, e.log_offset, e.user_id, e.version, e.device_id, e.incarnation, e.device_seq, e.event_id,
    e.type::text, e.app_id, e.occurred_at, e.recorded_at, e.schema_version, e.encoding, e.payload
FROM events e
WHERE e.partition = $1 AND e.log_offset >= $2 AND e.log_offset < $3 AND e.type = ANY ($4::text[]::event_type[])
ORDER BY e.log_offset
LIMIT $5
