-- Events within a chunk of a partition that are of some types, apps and devices, in order. A NULL array: of all.
-- $7: at most so many.
SELECT
    e.partition, e.log_offset, e.user_id, e.version, e.device_id, e.incarnation, e.device_seq, e.event_id,
    e.type::text, e.app_id, e.occurred_at, e.recorded_at, e.schema_version, e.encoding, e.payload
FROM events e
WHERE e.partition = $1 AND e.log_offset >= $2 AND e.log_offset < $3
    AND ($4::text[] IS NULL OR e.type = ANY ($4::text[]::event_type[]))
    AND ($5::text[] IS NULL OR e.app_id = ANY ($5::text[]))
    AND ($6::uuid[] IS NULL OR e.device_id = ANY ($6::uuid[]))
ORDER BY e.log_offset
LIMIT $7
