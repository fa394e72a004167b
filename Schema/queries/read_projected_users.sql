-- What the read model shows of users, read under the lock of the checkpoint. A cut-over to this generation takes that
-- lock as well, and so does whoever brings it up to date before that. One to another generation does not.
-- $1: partition; $2: users; $3: the generation that is to be written. One row at least.
SELECT p.generation, g.fold_version, u.user_id, u.version, u.due_at, u.digests_version IS NOT DISTINCT FROM u.version
FROM log_partitions p
LEFT JOIN generations g ON g.generation = $3
LEFT JOIN LATERAL (
    SELECT shown.*
    FROM unnest($2::uuid[]) AS w (user_id)
    CROSS JOIN LATERAL (
        SELECT * FROM read_1.users t WHERE t.partition = p.partition AND t.user_id = w.user_id OFFSET 0
    ) shown
) u ON true
WHERE p.partition = $1
