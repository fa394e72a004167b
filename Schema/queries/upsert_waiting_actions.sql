-- Puts rows of waiting_actions into the read model. $1: partition; the others: one element per row, each row once.
INSERT INTO read_1.waiting_actions (
    partition, user_id, app, key, key_bytes, version, deleted, value, memo, notification_id, action, double_tap,
    performed_at
)
SELECT
    $1::integer, unnest($2::uuid[]), unnest($3::text[]), unnest($4::text[]), unnest($5::bytea[]),
    unnest($6::bigint[]), unnest($7::boolean[]), unnest($8::bytea[]), unnest($9::bytea[]),
    unnest($10::text[]), unnest($11::text[]), unnest($12::boolean[]), unnest($13::timestamptz[])
ON CONFLICT (partition, user_id, app, key) DO UPDATE SET
    version = EXCLUDED.version, deleted = EXCLUDED.deleted, value = EXCLUDED.value, memo = EXCLUDED.memo,
    notification_id = EXCLUDED.notification_id, action = EXCLUDED.action, double_tap = EXCLUDED.double_tap,
    performed_at = EXCLUDED.performed_at
