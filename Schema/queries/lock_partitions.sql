-- Locks partitions in ascending order. Waits for whoever is appending, also for the transaction of a lost connection.
SELECT partition, next_offset, generation
FROM log_partitions
WHERE partition = ANY ($1::integer[])
ORDER BY partition
FOR UPDATE
