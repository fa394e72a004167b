-- Puts rows of suggestions into the read model. $1: partition; the others: one element per row, each row once.
INSERT INTO read_1.suggestions (
    partition, user_id, app, key, key_bytes, version, deleted, value, memo, outgoing, incoming, last_at, score
)
SELECT
    $1::integer, unnest($2::uuid[]), unnest($3::text[]), unnest($4::text[]), unnest($5::bytea[]),
    unnest($6::bigint[]), unnest($7::boolean[]), unnest($8::bytea[]), unnest($9::bytea[]),
    unnest($10::bigint[]), unnest($11::bigint[]), unnest($12::timestamptz[]), unnest($13::double precision[])
ON CONFLICT (partition, user_id, app, key) DO UPDATE SET
    version = EXCLUDED.version, deleted = EXCLUDED.deleted, value = EXCLUDED.value, memo = EXCLUDED.memo,
    outgoing = EXCLUDED.outgoing, incoming = EXCLUDED.incoming,
    last_at = EXCLUDED.last_at, score = EXCLUDED.score
