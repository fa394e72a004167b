-- Users of a partition ($1) whose rows are different in a generation ($3) from what they were in the one shown before it
-- ($2). One row with NULL: nobody's are. No row: that is not known, or not all of them are of one version of the fold ($4).
-- $5: at most so many.
SELECT d.user_id
FROM rebuild_partitions r
JOIN generations g ON g.generation = r.generation AND g.fold_version = $4
JOIN generations b ON b.generation = r.previous AND b.fold_version = $4
LEFT JOIN rebuild_differences d ON d.partition = r.partition AND d.generation = r.generation
WHERE r.partition = $1 AND r.generation = $3 AND r.previous = $2
LIMIT $5
