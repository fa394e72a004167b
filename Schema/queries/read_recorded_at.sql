-- When the event at a place of the log was recorded.
-- ORDER BY log_offset: whatever the planner believes of the log, it takes the index of offsets.
SELECT e.recorded_at
FROM (
    SELECT * FROM events WHERE partition = $1 AND log_offset >= $2 ORDER BY log_offset LIMIT 1
) e
WHERE e.log_offset = $2
