-- Where partitions of the log end, and what time it is: the database's clock is the one that all servers share.
SELECT partition, next_offset, last_recorded_at, generation, last_event_id, clock_timestamp()
FROM log_partitions
WHERE partition = ANY ($1::integer[])
