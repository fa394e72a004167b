-- Moves a partition's head over events that were copied in, if it still ends with the event that they stand behind and
-- time does not go back. $1: partition; $2: first offset; $3, $4: the event before it, and its recorded_at; $5: offset
-- after the last; $6: the last; $7, $8: recorded_at of the first and the last.
UPDATE log_partitions
SET next_offset = $5, last_event_id = $6, last_recorded_at = $8
WHERE partition = $1 AND next_offset = $2 AND last_event_id = $3 AND last_recorded_at = $4 AND last_recorded_at <= $7
RETURNING partition
