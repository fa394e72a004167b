-- The first event of each of these ids in a user's stream. $1, $2: partition and user. $3: ids.
SELECT DISTINCT ON (e.event_id)
    e.partition, e.log_offset, e.user_id, e.version, e.device_id, e.incarnation, e.device_seq, e.event_id,
    e.type::text, e.app_id, e.occurred_at, e.recorded_at, e.schema_version, e.encoding, e.payload
FROM events e
WHERE e.partition = $1 AND e.user_id = $2 AND e.event_id = ANY ($3::uuid[])
ORDER BY e.event_id, e.version
