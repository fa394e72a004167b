-- What a session needs to know of its user if its cursor is current, as of one moment: one statement, one snapshot. $1,
-- $2: partition and id of each user. $3: users are left out once those before them take so many bytes. $4: how many a
-- user takes of whom that is not known. The columns are those of load_users.
-- kind 'head': as there, with deleted = the log has events past users.version, and value = the digest sums of that
-- version (NULL: not known). Else kind names the collection of a row. Rows that devices get are not among them.
-- OFFSET 0 makes PostgreSQL look each user up by key. Without it, a plan made while a table is empty reads the whole table
-- for each user, also after it has filled.
WITH asked AS MATERIALIZED (
    SELECT
        w.partition, w.user_id, coalesce(u.version, 0) AS version,
        CASE WHEN u.digests_version = u.version THEN u.digests END AS digests,
        sum(coalesce(u.state_bytes, $4::bigint)) OVER (ORDER BY w.place) - coalesce(u.state_bytes, $4::bigint) AS before
    FROM unnest($1::integer[], $2::uuid[]) WITH ORDINALITY AS w (partition, user_id, place)
    LEFT JOIN LATERAL (
        SELECT * FROM read_1.users u WHERE u.partition = w.partition AND u.user_id = w.user_id OFFSET 0
    ) u ON true
), wanted AS MATERIALIZED (
    SELECT
        a.partition, a.user_id, a.version, a.digests,
        EXISTS (
            SELECT FROM events e
            WHERE e.partition = a.partition AND e.user_id = a.user_id AND e.version > a.version) AS has_more
    FROM asked a
    WHERE a.before < $3::bigint
)
SELECT
    'head' AS kind, w.user_id, w.partition, NULL::text AS app, ''::text AS key, NULL::bytea AS key_bytes, w.version,
    w.has_more AS deleted, w.digests AS value, NULL::bytea AS memo, p.next_offset AS log_offset,
    NULL::uuid AS device_id, NULL::bigint AS incarnation, NULL::bigint AS device_seq, p.last_event_id AS event_id,
    NULL::timestamptz AS occurred_at, p.last_recorded_at AS recorded_at, p.generation AS schema_version,
    NULL::smallint AS encoding
FROM wanted w
CROSS JOIN LATERAL (SELECT * FROM log_partitions p WHERE p.partition = w.partition OFFSET 0) p
UNION ALL
SELECT
    'stream', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.stream t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
WHERE NOT w.has_more
UNION ALL
SELECT
    'app_streams', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.app_streams t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
WHERE NOT w.has_more
UNION ALL
SELECT
    'devices', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.devices t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
WHERE NOT w.has_more
UNION ALL
SELECT
    'incarnations', t.user_id, t.partition, t.app, t.key, t.key_bytes, t.version,
    t.deleted, t.value, t.memo, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM wanted w
CROSS JOIN LATERAL (
    SELECT * FROM read_1.incarnations t WHERE t.partition = w.partition AND t.user_id = w.user_id OFFSET 0
) t
WHERE NOT w.has_more
