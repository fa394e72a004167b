-- Events of a partition ($1) below an offset ($4), user by user, after a version ($3) of a user ($2). $5: at most so many.
SELECT
    e.partition, e.log_offset, e.user_id, e.version, e.device_id, e.incarnation, e.device_seq, e.event_id,
    e.type::text, e.app_id, e.occurred_at, e.recorded_at, e.schema_version, e.encoding, e.payload
FROM events e
WHERE e.partition = $1 AND (e.user_id, e.version) > ($2::uuid, $3::bigint) AND e.log_offset < $4
ORDER BY e.user_id, e.version
LIMIT $5
