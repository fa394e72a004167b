-- Records everybody whose rows lack an event of a partition ($1) from an offset ($2) on and below the new checkpoint ($3),
-- under the lock of the checkpoint. Who is a laggard already keeps the first event that their rows lack: it comes before.
INSERT INTO read_1.laggards (partition, user_id, log_offset)
SELECT $1::integer, e.user_id, min(e.log_offset)
FROM (
    SELECT * FROM events
    WHERE partition = $1 AND log_offset >= $2::bigint AND log_offset < $3::bigint
    ORDER BY log_offset
    OFFSET 0
) e
LEFT JOIN LATERAL (
    SELECT * FROM read_1.users u WHERE u.partition = $1 AND u.user_id = e.user_id OFFSET 0
) u ON true
WHERE e.version > coalesce(u.version, 0)
GROUP BY e.user_id
ON CONFLICT (partition, user_id) DO NOTHING
