-- From this transaction's commit on a partition ($1) shows a generation ($2), and showed another ($3) before.
WITH noted AS (
    UPDATE rebuild_partitions SET previous = $3 WHERE partition = $1 AND generation = $2
)
UPDATE log_partitions SET generation = $2 WHERE partition = $1
