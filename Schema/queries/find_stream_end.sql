-- Where a user's stream ends, and the last sequence of the server's own events in it; zeros when there are none. Reads
-- the whole stream: it is for an operator's command.
SELECT coalesce(max(e.version), 0), coalesce(max(e.device_seq) FILTER (
    WHERE e.device_id = '00000000-0000-0000-0000-000000000000' AND e.incarnation = 0), 0)
FROM events e
WHERE e.partition = $1 AND e.user_id = $2
