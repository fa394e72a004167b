-- What the session builds of an index right now: the phase, and how much of it is done in percent, where that is known.
SELECT
    phase,
    coalesce(100 * blocks_done / nullif(blocks_total, 0), 100 * tuples_done / nullif(tuples_total, 0))::integer
FROM pg_stat_progress_create_index
WHERE pid = $1
