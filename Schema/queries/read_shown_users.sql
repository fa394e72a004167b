-- Users of a partition ($1) that a generation shows, after a user ($2), in order. $3: at most so many.
SELECT user_id FROM read_1.users WHERE partition = $1 AND user_id > $2 ORDER BY user_id LIMIT $3
