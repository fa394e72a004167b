-- The backup that was finished last.
SELECT tool, began_at, finished_at, events
FROM read.backups
ORDER BY finished_at DESC
LIMIT 1
