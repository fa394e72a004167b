-- The folds that fill what partitions show, each once. NULL: nobody knows.
SELECT DISTINCT g.fold_version
FROM log_partitions p
LEFT JOIN generations g ON g.generation = p.generation
ORDER BY g.fold_version
