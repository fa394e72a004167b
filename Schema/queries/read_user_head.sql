-- The last version of a user's stream; no row when the log has none of the user.
SELECT e.version
FROM events e
WHERE e.partition = $1 AND e.user_id = $2
ORDER BY e.version DESC
LIMIT 1
