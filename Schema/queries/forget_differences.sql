-- Users ($3) of a partition ($2) whose rows come out alike in a generation ($1).
DELETE FROM rebuild_differences WHERE generation = $1 AND partition = $2 AND user_id = ANY ($3::uuid[])
