-- When the event at a place of the log was recorded.
SELECT e.recorded_at FROM events e WHERE e.partition = $1 AND e.log_offset = $2
