-- Puts rows of refusals into the read model. $1: partition; the others: one element per row, each row once.
INSERT INTO read_1.refusals (
    partition, user_id, app, key, key_bytes, version, deleted, value, memo, event_id, type, code, message,
    occurred_at
)
SELECT
    $1::integer, unnest($2::uuid[]), unnest($3::text[]), unnest($4::text[]), unnest($5::bytea[]),
    unnest($6::bigint[]), unnest($7::boolean[]), unnest($8::bytea[]), unnest($9::bytea[]),
    unnest($10::text[])::uuid, unnest($11::text[]), unnest($12::text[]), unnest($13::text[]),
    unnest($14::timestamptz[])
ON CONFLICT (partition, user_id, app, key) DO UPDATE SET
    version = EXCLUDED.version, deleted = EXCLUDED.deleted, value = EXCLUDED.value, memo = EXCLUDED.memo,
    event_id = EXCLUDED.event_id, type = EXCLUDED.type, code = EXCLUDED.code, message = EXCLUDED.message,
    occurred_at = EXCLUDED.occurred_at
