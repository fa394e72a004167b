-- How far the projections of partitions got.
SELECT partition, log_offset
FROM read_1.checkpoints
WHERE partition = ANY ($1::integer[])
