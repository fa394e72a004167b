-- Takes the projection of a partition for this transaction, or returns no row: somebody else is at it. Also the event at
-- an offset of the log ($2), NULL when there is none; what read_timeline says; and whether the partition has laggards.
-- ORDER BY log_offset: whatever the planner believes of the log, it takes the index of offsets.
SELECT
    c.log_offset, e.event_id, e.recorded_at,
    left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/' || extract(epoch FROM pg_postmaster_start_time()),
    EXISTS (SELECT FROM read_1.laggards l WHERE l.partition = c.partition OFFSET 0)
FROM read_1.checkpoints c
LEFT JOIN LATERAL (
    SELECT events.log_offset, events.event_id, events.recorded_at
    FROM events
    WHERE events.partition = c.partition AND events.log_offset >= $2
    ORDER BY events.log_offset
    LIMIT 1
) e ON e.log_offset = $2
WHERE c.partition = $1
FOR UPDATE OF c SKIP LOCKED
