-- Users with events at offsets $2 ..< $3 of a partition: the greatest version of each there, the first offset, the last,
-- and whether one of the events revokes a device.
SELECT user_id, max(version), min(log_offset), max(log_offset), bool_or(type = 'device.revoked')
FROM (
    SELECT * FROM events WHERE partition = $1 AND log_offset >= $2 AND log_offset < $3 ORDER BY log_offset OFFSET 0
) e
GROUP BY user_id
