-- Which generation of the read model a partition shows, and which fold fills it (NULL: nobody knows).
SELECT p.generation, g.fold_version
FROM log_partitions p
LEFT JOIN generations g ON g.generation = p.generation
WHERE p.partition = $1
