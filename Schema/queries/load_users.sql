-- Everything about users, as of one moment: one statement, one snapshot. $1, $2: partition and id of each user. $3: so
-- many events of each at most, the first ones past what the rows show: versions have no gaps. $4: so many bytes of
-- payload of them, which the last one may pass. $5: users are left out once those before them take so many bytes. $6:
-- how many a user takes of whom that is not known.
-- kind 'head': version = users.version (0: none), log_offset = next_offset, event_id = last_event_id, recorded_at =
-- last_recorded_at, schema_version = active generation, deleted = the digest sums of users.version are there. kind
-- 'event': an event past that version; key = type, value = payload. Else kind names the collection of a row. Points are
-- loaded of routes that can still grow only.
-- OFFSET 0 makes PostgreSQL look each user up by key. Without it, a plan made while a table is empty reads the whole table
-- for each user, also after it has filled.
WITH asked AS MATERIALIZED (
    SELECT
        w.partition, w.user_id, coalesce(u.version, 0) AS version,
        coalesce(u.digests_version = u.version, false) AS has_digests,
        sum(coalesce(u.state_bytes, $6::bigint)) OVER (ORDER BY w.place) - coalesce(u.state_bytes, $6::bigint) AS before
    FROM unnest($1::integer[], $2::uuid[]) WITH ORDINALITY AS w (partition, user_id, place)
    LEFT JOIN LATERAL (
        SELECT * FROM read_1.users u WHERE u.partition = w.partition AND u.user_id = w.user_id OFFSET 0
    ) u ON true
), wanted AS MATERIALIZED (
    SELECT a.partition, a.user_id, a.version, a.has_digests FROM asked a WHERE a.before < $5::bigint
)
SELECT
    'head' AS kind, w.user_id, w.partition, NULL::text AS app, ''::text AS key, NULL::bytea AS key_bytes, w.version,
    w.has_digests AS deleted, NULL::bytea AS value, NULL::bytea AS memo, p.next_offset AS log_offset,
    NULL::uuid AS device_id, NULL::bigint AS incarnation, NULL::bigint AS device_seq, p.last_event_id AS event_id,
    NULL::timestamptz AS occurred_at, p.last_recorded_at AS recorded_at, p.generation AS schema_version,
    NULL::smallint AS encoding
FROM wanted w
CROSS JOIN LATERAL (SELECT * FROM log_partitions p WHERE p.partition = w.partition OFFSET 0) p
UNION ALL
SELECT
    'event', e.user_id, e.partition, e.app_id, e.type::text, NULL, e.version,
    false, e.payload, NULL, e.log_offset, e.device_id,
    e.incarnation, e.device_seq, e.event_id, e.occurred_at,
    e.recorded_at, e.schema_version, e.encoding
FROM wanted w
CROSS JOIN LATERAL (
    SELECT
        t.*,
        sum(octet_length(t.payload)) OVER (ORDER BY t.version ROWS UNBOUNDED PRECEDING)
            - octet_length(t.payload) AS before
    FROM events t
    WHERE t.partition = w.partition AND t.user_id = w.user_id AND t.version > w.version
        AND t.version <= w.version + $3::bigint
) e
WHERE e.before < $4::bigint
UNION ALL
SELECT
    'apps', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.apps t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'authorizations', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.authorizations t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'focuses', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.focuses t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'active_focus', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.active_focus t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'focus_visibility', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.focus_visibility t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'audience', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.audience t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'notifications', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.notifications t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'alerts', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.alerts t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'class_alerts', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.class_alerts t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'badges', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.badges t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'categories', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.categories t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'actions', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.actions t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'waiting_actions', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.waiting_actions t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'suggestions', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.suggestions t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'interactions', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.interactions t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'notification_settings', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.notification_settings t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'delivery_schedule', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.delivery_schedule t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'routes', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.routes t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'workouts', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.workouts t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'route_totals', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.route_totals t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'refusals', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.refusals t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'stream', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.stream t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'app_streams', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.app_streams t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'devices', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.devices t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'incarnations', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.incarnations t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'device_activity', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.device_activity t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'preferences', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.preferences t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'preference_defaults', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.preference_defaults t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
UNION ALL
SELECT
    'route_points', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.route_points t
    WHERE t.partition = w.partition AND t.user_id = w.user_id
        -- Most users have no such route: nothing of their points is read.
        AND EXISTS (
            SELECT FROM read_1.routes r
            WHERE r.partition = w.partition AND r.user_id = w.user_id AND NOT r.finished AND NOT r.deleted
            OFFSET 0
        ) AND EXISTS (
            SELECT FROM read_1.routes r
            WHERE r.partition = t.partition AND r.user_id = t.user_id AND r.app = t.app AND r.key = t.route
                AND NOT r.finished AND NOT r.deleted
            OFFSET 0
        )
    OFFSET 0
) t
