-- Where partitions of the log end, and what time it is: the database's clock is the one that all servers share. Says too
-- whether the database takes no writes: it is a standby, or was made read-only.
SELECT
    partition, next_offset, last_recorded_at, generation, last_event_id, clock_timestamp(),
    current_setting('transaction_read_only')::boolean
FROM log_partitions
WHERE partition = ANY ($1::integer[])
