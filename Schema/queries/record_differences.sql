-- Users ($3) of a partition ($2) whose rows come out different in a generation ($1).
INSERT INTO rebuild_differences (generation, partition, user_id)
SELECT $1::integer, $2::integer, unnest($3::uuid[])
ON CONFLICT DO NOTHING
