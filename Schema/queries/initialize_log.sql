-- Gives the log its identity and its partitions. Does nothing when it has them: P is fixed for ever.
-- $1: partitions; $2: hash; $3: format.
WITH created AS (
    INSERT INTO log (log_id, partitions, hash, format)
    VALUES (gen_random_uuid(), $1, $2, $3)
    ON CONFLICT DO NOTHING
    RETURNING partitions
)
INSERT INTO log_partitions (partition)
SELECT generate_series(0, partitions - 1) FROM created
