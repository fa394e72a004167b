-- Users with events at offsets $2 ..< $3 of a partition, and the greatest version of each there.
SELECT user_id, max(version), max(log_offset)
FROM events
WHERE partition = $1 AND log_offset >= $2 AND log_offset < $3
GROUP BY user_id
