-- Says which version of each user the read model shows from now on, when something may be due for them, and the digest
-- sums of that version, where they are known ($6). A due_at of the version that is shown may be set right: what time
-- zones say can change.
INSERT INTO read_1.users (partition, user_id, version, due_at, state_bytes, digests, digests_version)
SELECT
    $1::integer, t.user_id, t.version, t.due_at, t.state_bytes, t.digests,
    CASE WHEN t.digests IS NOT NULL THEN t.version END
FROM unnest($2::uuid[], $3::bigint[], $4::timestamptz[], $5::bigint[], $6::bytea[])
    AS t (user_id, version, due_at, state_bytes, digests)
ON CONFLICT (partition, user_id) DO UPDATE SET
    version = EXCLUDED.version, due_at = EXCLUDED.due_at, state_bytes = EXCLUDED.state_bytes,
    digests = coalesce(EXCLUDED.digests, users.digests),
    digests_version = coalesce(EXCLUDED.digests_version, users.digests_version)
WHERE users.version <= EXCLUDED.version
