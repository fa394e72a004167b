-- Records those of some users ($2) of a partition ($1) whose rows lack an event below the new checkpoint ($3). What they
-- lack is asked of the log itself, under the lock of the checkpoint: another server may have written them.
INSERT INTO read_1.laggards (partition, user_id, log_offset)
SELECT $1::integer, w.user_id, e.log_offset
FROM unnest($2::uuid[]) AS w (user_id)
LEFT JOIN LATERAL (
    SELECT * FROM read_1.users u WHERE u.partition = $1 AND u.user_id = w.user_id OFFSET 0
) u ON true
CROSS JOIN LATERAL (
    SELECT e.log_offset FROM events e
    WHERE e.partition = $1 AND e.user_id = w.user_id AND e.version > coalesce(u.version, 0)
    ORDER BY e.version
    LIMIT 1
) e
WHERE e.log_offset < $3::bigint
ON CONFLICT (partition, user_id) DO UPDATE SET log_offset = EXCLUDED.log_offset
