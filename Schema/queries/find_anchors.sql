-- The events at places of the log. $1, $2: partition and offset of each.
-- ORDER BY log_offset: whatever the planner believes of the log, it takes the index of offsets.
SELECT e.partition, e.log_offset, e.event_id, e.recorded_at
FROM unnest($1::integer[], $2::bigint[]) AS w (partition, log_offset)
CROSS JOIN LATERAL (
    SELECT * FROM events
    WHERE events.partition = w.partition AND events.log_offset >= w.log_offset
    ORDER BY events.log_offset
    LIMIT 1
) e
WHERE e.log_offset = w.log_offset
