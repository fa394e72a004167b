-- From this transaction's commit on a partition ($1) shows a generation ($2).
UPDATE log_partitions SET generation = $2 WHERE partition = $1
