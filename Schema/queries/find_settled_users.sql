-- Users of a partition ($1), after a user ($2) and up to another ($3), whom two generations show at the same version,
-- past which the log has nothing. "read_1.users" stands for the table in one generation, and in the other.
SELECT target.user_id
FROM read_1.users target
CROSS JOIN LATERAL (
    SELECT * FROM read_1.users shown WHERE shown.partition = target.partition AND shown.user_id = target.user_id OFFSET 0
) shown
WHERE target.partition = $1 AND target.user_id > $2 AND target.user_id <= $3 AND shown.version = target.version
    AND NOT EXISTS (
        SELECT FROM events e
        WHERE e.partition = target.partition AND e.user_id = target.user_id AND e.version > target.version
        OFFSET 0
    )
