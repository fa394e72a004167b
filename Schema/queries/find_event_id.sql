-- The event at a version of a user's stream, and when it was recorded.
SELECT event_id, recorded_at
FROM events
WHERE partition = $1 AND user_id = $2 AND version = $3
