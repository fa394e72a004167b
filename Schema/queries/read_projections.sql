-- Where the partitions stand that show one generation ($1): its fold, its checkpoint, the log's head, for how many
-- microseconds the first event past the checkpoint has been in the log (NULL: there is none), and how many users the
-- checkpoint has passed although their rows lack events.
-- ORDER BY log_offset: whatever the planner believes of the log, it takes the index of offsets.
SELECT
    p.partition, g.fold_version, c.log_offset, p.next_offset,
    (extract(epoch FROM clock_timestamp() - e.recorded_at) * 1000000)::bigint,
    (SELECT count(*) FROM read_1.laggards l WHERE l.partition = p.partition)
FROM log_partitions p
JOIN read_1.checkpoints c ON c.partition = p.partition
LEFT JOIN generations g ON g.generation = p.generation
LEFT JOIN LATERAL (
    SELECT * FROM events
    WHERE events.partition = p.partition AND events.log_offset >= c.log_offset
    ORDER BY events.log_offset
    LIMIT 1
) e ON e.log_offset = c.log_offset
WHERE p.generation = $1
ORDER BY p.partition
