-- Puts rows of notifications into the read model. $1: partition; the others: one element per row, each row once.
INSERT INTO read_1.notifications (
    partition, user_id, app, key, key_bytes, version, deleted, value, memo, title, subtitle, body, level,
    relevance, marketing, category, thread, posted_at, is_read
)
SELECT
    $1::integer, unnest($2::uuid[]), unnest($3::text[]), unnest($4::text[]), unnest($5::bytea[]),
    unnest($6::bigint[]), unnest($7::boolean[]), unnest($8::bytea[]), unnest($9::bytea[]), unnest($10::text[]),
    unnest($11::text[]), unnest($12::text[]), unnest($13::text[]), unnest($14::double precision[]),
    unnest($15::boolean[]), unnest($16::text[]), unnest($17::text[]), unnest($18::timestamptz[]),
    unnest($19::boolean[])
ON CONFLICT (partition, user_id, app, key) DO UPDATE SET
    version = EXCLUDED.version, deleted = EXCLUDED.deleted, value = EXCLUDED.value, memo = EXCLUDED.memo,
    title = EXCLUDED.title, subtitle = EXCLUDED.subtitle, body = EXCLUDED.body, level = EXCLUDED.level,
    relevance = EXCLUDED.relevance, marketing = EXCLUDED.marketing, category = EXCLUDED.category,
    thread = EXCLUDED.thread, posted_at = EXCLUDED.posted_at, is_read = EXCLUDED.is_read
