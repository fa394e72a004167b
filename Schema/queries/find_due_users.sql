-- Users with something due up to $4, in the order of due_at, at most $5 of each partition. $1–$3: one element per
-- partition: which, and after which due_at and user to go on. One probe of users_due for each partition.
SELECT d.partition, d.user_id, d.due_at
FROM unnest($1::integer[], $2::timestamptz[], $3::uuid[]) AS w (partition, after_due_at, after_user_id)
CROSS JOIN LATERAL (
    SELECT u.partition, u.user_id, u.due_at
    FROM read_1.users u
    WHERE u.partition = w.partition AND u.due_at <= $4 AND (u.due_at, u.user_id) > (w.after_due_at, w.after_user_id)
    ORDER BY u.due_at, u.user_id
    LIMIT $5
) d
