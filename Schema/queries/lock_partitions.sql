-- Locks partitions in ascending order, and says where they end. Waits for whoever is appending, also for the transaction
-- of a lost connection.
SELECT partition, next_offset, last_recorded_at, generation, last_event_id
FROM log_partitions
WHERE partition = ANY ($1::integer[])
ORDER BY partition
FOR UPDATE
