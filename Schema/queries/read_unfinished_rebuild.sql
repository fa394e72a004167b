-- The rebuild or rollback that has not ended: its generation, fold, kind, beginning; how many partitions it has, has
-- filled (is past the filling of), shows; of how many events it folded how many (a rollback folds none); and whether
-- somebody holds the right to rebuild (the two halves of the number of lock_rebuild).
SELECT
    r.generation, g.fold_version, r.kind, r.verifies, r.started_at, count(p.partition),
    count(p.partition) FILTER (WHERE p.phase <> 'filling'), count(p.partition) FILTER (WHERE p.phase = 'done'),
    coalesce(sum(p.events), 0)::bigint,
    coalesce(sum(p.through) FILTER (WHERE r.kind = 'rebuild'), 0)::bigint,
    EXISTS (
        SELECT FROM pg_locks l
        WHERE l.locktype = 'advisory' AND l.classid = 1718575989 AND l.objid = 1936876898 AND l.objsubid = 1
            AND l.granted AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
    )
FROM rebuilds r
JOIN generations g ON g.generation = r.generation
LEFT JOIN rebuild_partitions p ON p.generation = r.generation
WHERE r.finished_at IS NULL AND g.dropped_at IS NULL
GROUP BY r.generation, g.fold_version, r.kind, r.verifies, r.started_at
ORDER BY r.generation
LIMIT 1
