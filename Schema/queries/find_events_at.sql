-- What the events at some versions of a user's stream are, without what they say.
SELECT version, event_id, type::text, device_id, occurred_at, recorded_at
FROM events
WHERE partition = $1 AND user_id = $2 AND version = ANY ($3::bigint[])
