-- Events of a user that are of one type, past a version, in order. $5: at most so many. Reads the stream as far as it
-- needs to: it is for an operator's command.
SELECT
    e.partition, e.log_offset, e.user_id, e.version, e.device_id, e.incarnation, e.device_seq, e.event_id,
    e.type::text, e.app_id, e.occurred_at, e.recorded_at, e.schema_version, e.encoding, e.payload
FROM events e
WHERE e.partition = $1 AND e.user_id = $2 AND e.type::text = $3 AND e.version > $4
ORDER BY e.version
LIMIT $5
