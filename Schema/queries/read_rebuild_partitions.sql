-- How far the rebuild of a generation ($1) is.
SELECT partition, phase, through, after_user, events, users, followed
FROM rebuild_partitions
WHERE generation = $1
ORDER BY partition
