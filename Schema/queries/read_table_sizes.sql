-- The tables of one schema ($1): about how many rows each has, by the server's own statistics, and its bytes on disk
-- with its indexes.
SELECT
    c.relname::text, greatest(coalesce(s.n_live_tup, 0), c.reltuples::bigint, 0), pg_total_relation_size(c.oid)
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_stat_all_tables s ON s.relid = c.oid
WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')
ORDER BY c.relname
