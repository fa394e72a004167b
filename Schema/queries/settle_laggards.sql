-- Forgets those laggards of a partition ($1) whose rows lack no event below the checkpoint any more; of these users alone
-- ($2), or of all (NULL). Runs under the lock of the checkpoint, so every event below it is visible.
DELETE FROM read_1.laggards l
USING read_1.checkpoints c
WHERE l.partition = $1 AND ($2::uuid[] IS NULL OR l.user_id = ANY ($2)) AND c.partition = l.partition
    AND coalesce((
        SELECT e.log_offset FROM events e
        WHERE e.partition = l.partition AND e.user_id = l.user_id AND e.version > coalesce((
            SELECT u.version FROM read_1.users u WHERE u.partition = l.partition AND u.user_id = l.user_id
        ), 0)
        ORDER BY e.version
        LIMIT 1
    ) >= c.log_offset, true)
