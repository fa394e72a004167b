-- The event at a version of a user's stream.
SELECT event_id
FROM events
WHERE partition = $1 AND user_id = $2 AND version = $3
