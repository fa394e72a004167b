-- The generations that have rows: which fold fills each, how many partitions show it, and the rebuild that made it
-- (NULL: none), whether that verifies, whether it has ended and whether it keeps what was shown before it.
SELECT
    g.generation, g.fold_version, (SELECT count(*) FROM log_partitions p WHERE p.generation = g.generation),
    r.kind, r.verifies, r.finished_at IS NOT NULL, r.keeps_old
FROM generations g
LEFT JOIN rebuilds r ON r.generation = g.generation
WHERE g.dropped_at IS NULL
ORDER BY g.generation
