-- Users of a partition ($1) that the log or the read model knows, after a user ($2), in order. $3: at most so many.
-- One look into the index for each user, however many events they have.
WITH RECURSIVE logged AS (
    (SELECT user_id FROM events WHERE partition = $1 AND user_id > $2 ORDER BY user_id LIMIT 1)
    UNION ALL
    SELECT (
        SELECT e.user_id FROM events e WHERE e.partition = $1 AND e.user_id > l.user_id ORDER BY e.user_id LIMIT 1
    )
    FROM logged l
    WHERE l.user_id IS NOT NULL
)
SELECT user_id
FROM (
    (SELECT user_id FROM logged WHERE user_id IS NOT NULL LIMIT $3)
    UNION
    (SELECT user_id FROM read_1.users WHERE partition = $1 AND user_id > $2 ORDER BY user_id LIMIT $3)
) AS known (user_id)
ORDER BY user_id
LIMIT $3
