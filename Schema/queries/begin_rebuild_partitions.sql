-- Every partition begins with a phase ($2) of the rebuild of a generation ($1), as far as the log is now.
INSERT INTO rebuild_partitions (generation, partition, phase, through, followed)
SELECT $1::integer, p.partition, $2::text, p.next_offset, p.next_offset FROM log_partitions p
ON CONFLICT (partition, generation) DO UPDATE SET
    phase = EXCLUDED.phase, through = EXCLUDED.through, followed = EXCLUDED.followed, after_user = NULL, events = 0,
    users = 0, previous = NULL
