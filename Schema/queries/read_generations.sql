-- The generations that have rows: which fold fills each, how many partitions show it, and the rebuild that made it
-- (NULL: none), whether that verifies and whether it has ended.
SELECT
    g.generation, g.fold_version, (SELECT count(*) FROM log_partitions p WHERE p.generation = g.generation),
    r.kind, r.verifies, r.finished_at IS NOT NULL
FROM generations g
LEFT JOIN rebuilds r ON r.generation = g.generation
WHERE g.dropped_at IS NULL
ORDER BY g.generation
