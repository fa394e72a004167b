-- How far the projection of a partition got ($1), the version at which it shows a user ($2; 0: not at all), the first
-- event that the user's rows may lack below the checkpoint (NULL: they lack none), and the digest sums of that version
-- (NULL: not known).
SELECT
    c.log_offset, coalesce(u.version, 0), l.log_offset,
    CASE WHEN u.digests_version = u.version THEN u.digests END
FROM read_1.checkpoints c
LEFT JOIN read_1.users u ON u.partition = c.partition AND u.user_id = $2
LEFT JOIN read_1.laggards l ON l.partition = c.partition AND l.user_id = $2
WHERE c.partition = $1
