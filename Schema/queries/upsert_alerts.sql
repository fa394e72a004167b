-- Puts rows of alerts into the read model. $1: partition; the others: one element per row, each row once.
INSERT INTO read_1.alerts (
    partition, user_id, app, key, key_bytes, version, deleted, value, memo, alert, reason,
    overrides_silent_switch, introduces_time_sensitive, summary_rank, first_device, others_at, others_ring
)
SELECT
    $1::integer, unnest($2::uuid[]), unnest($3::text[]), unnest($4::text[]), unnest($5::bytea[]),
    unnest($6::bigint[]), unnest($7::boolean[]), unnest($8::bytea[]), unnest($9::bytea[]), unnest($10::text[]),
    unnest($11::text[]), unnest($12::boolean[]), unnest($13::boolean[]), unnest($14::bigint[]),
    unnest($15::text[]), unnest($16::timestamptz[]), unnest($17::boolean[])
ON CONFLICT (partition, user_id, app, key) DO UPDATE SET
    version = EXCLUDED.version, deleted = EXCLUDED.deleted, value = EXCLUDED.value, memo = EXCLUDED.memo,
    alert = EXCLUDED.alert, reason = EXCLUDED.reason,
    overrides_silent_switch = EXCLUDED.overrides_silent_switch,
    introduces_time_sensitive = EXCLUDED.introduces_time_sensitive, summary_rank = EXCLUDED.summary_rank,
    first_device = EXCLUDED.first_device, others_at = EXCLUDED.others_at, others_ring = EXCLUDED.others_ring
