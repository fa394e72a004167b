-- Moves a partition's head over events that were copied in, if it still is where they begin and time does not go back.
-- $1: partition; $2: first offset; $3: offset after the last; $4, $5: recorded_at of the first and the last.
UPDATE log_partitions
SET next_offset = $3, last_recorded_at = $5
WHERE partition = $1 AND next_offset = $2 AND last_recorded_at <= $4
RETURNING partition
