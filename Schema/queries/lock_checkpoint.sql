-- Takes the projection of a partition for this transaction, or returns no row: somebody else is at it.
SELECT log_offset
FROM read_1.checkpoints
WHERE partition = $1
FOR UPDATE SKIP LOCKED
