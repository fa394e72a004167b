-- Puts rows of device_activity into the read model. $1: partition; the others: one element per row, each row once.
INSERT INTO read_1.device_activity (
    partition, user_id, app, key, key_bytes, version, deleted, value, memo
)
SELECT
    $1::integer, unnest($2::uuid[]), unnest($3::text[]), unnest($4::text[]), unnest($5::bytea[]),
    unnest($6::bigint[]), unnest($7::boolean[]), unnest($8::bytea[]), unnest($9::bytea[])
ON CONFLICT (partition, user_id, app, key) DO UPDATE SET
    version = EXCLUDED.version, deleted = EXCLUDED.deleted, value = EXCLUDED.value, memo = EXCLUDED.memo
