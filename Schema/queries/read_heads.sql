-- Where partitions of the log end.
SELECT partition, next_offset, last_recorded_at, generation
FROM log_partitions
WHERE partition = ANY ($1::integer[])
