-- Takes the projection of a partition ($1) for this transaction; waits for a projector that is at it.
SELECT log_offset
FROM read_1.checkpoints
WHERE partition = $1
FOR UPDATE
