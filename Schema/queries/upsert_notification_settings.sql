-- Puts rows of notification_settings into the read model. $1: partition; the others: one element per row, each row
-- once.
INSERT INTO read_1.notification_settings (
    partition, user_id, app, key, key_bytes, version, deleted, value, memo, alerts, badges, sounds, previews,
    time_sensitive, scheduled_delivery, muted_until, differs_on
)
SELECT
    $1::integer, unnest($2::uuid[]), unnest($3::text[]), unnest($4::text[]), unnest($5::bytea[]),
    unnest($6::bigint[]), unnest($7::boolean[]), unnest($8::bytea[]), unnest($9::bytea[]), unnest($10::boolean[]),
    unnest($11::boolean[]), unnest($12::boolean[]), unnest($13::text[]), unnest($14::boolean[]),
    unnest($15::boolean[]), unnest($16::timestamptz[]), string_to_array(unnest($17::text[]), ' ')
ON CONFLICT (partition, user_id, app, key) DO UPDATE SET
    version = EXCLUDED.version, deleted = EXCLUDED.deleted, value = EXCLUDED.value, memo = EXCLUDED.memo,
    alerts = EXCLUDED.alerts, badges = EXCLUDED.badges, sounds = EXCLUDED.sounds, previews = EXCLUDED.previews,
    time_sensitive = EXCLUDED.time_sensitive, scheduled_delivery = EXCLUDED.scheduled_delivery,
    muted_until = EXCLUDED.muted_until, differs_on = EXCLUDED.differs_on
