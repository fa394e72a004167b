-- Events of several partitions, each from an offset on, in order. $1, $2: partition and offset of each. $3: at most so
-- many of each partition.
SELECT
    e.partition, e.log_offset, e.user_id, e.version, e.device_id, e.incarnation, e.device_seq, e.event_id, e.type,
    e.app_id, e.occurred_at, e.recorded_at, e.schema_version, e.encoding, e.payload
FROM unnest($1::integer[], $2::bigint[]) AS w (partition, log_offset)
CROSS JOIN LATERAL (
    SELECT
        i.partition, i.log_offset, i.user_id, i.version, i.device_id, i.incarnation, i.device_seq, i.event_id,
        i.type::text, i.app_id, i.occurred_at, i.recorded_at, i.schema_version, i.encoding, i.payload
    FROM events i
    WHERE i.partition = w.partition AND i.log_offset >= w.log_offset
    ORDER BY i.log_offset
    LIMIT $3
) e
ORDER BY e.partition, e.log_offset
