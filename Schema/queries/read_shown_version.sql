-- How far the projection of a partition got ($1), and the version at which it shows a user ($2; 0: not at all).
SELECT c.log_offset, coalesce(u.version, 0)
FROM read_1.checkpoints c
LEFT JOIN read_1.users u ON u.partition = c.partition AND u.user_id = $2
WHERE c.partition = $1
