-- Puts rows of apps into the read model. $1: partition; the others: one element per row, each row once.
INSERT INTO read_1.apps (
    partition, user_id, app, key, key_bytes, version, deleted, value, memo, name, build, capabilities,
    declared_intents, has_usage_description
)
SELECT
    $1::integer, unnest($2::uuid[]), unnest($3::text[]), unnest($4::text[]), unnest($5::bytea[]),
    unnest($6::bigint[]), unnest($7::boolean[]), unnest($8::bytea[]), unnest($9::bytea[]), unnest($10::text[]),
    unnest($11::bigint[]), string_to_array(unnest($12::text[]), ' '), string_to_array(unnest($13::text[]), ' '),
    unnest($14::boolean[])
ON CONFLICT (partition, user_id, app, key) DO UPDATE SET
    version = EXCLUDED.version, deleted = EXCLUDED.deleted, value = EXCLUDED.value, memo = EXCLUDED.memo,
    name = EXCLUDED.name, build = EXCLUDED.build, capabilities = EXCLUDED.capabilities,
    declared_intents = EXCLUDED.declared_intents, has_usage_description = EXCLUDED.has_usage_description
