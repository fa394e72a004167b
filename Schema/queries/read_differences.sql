-- Users of a partition ($2) whose rows come out different in a generation ($1), after a user ($3), at most $4.
SELECT user_id
FROM rebuild_differences
WHERE generation = $1 AND partition = $2 AND user_id > $3
ORDER BY user_id
LIMIT $4
