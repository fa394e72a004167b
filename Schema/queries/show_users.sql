-- Says which version of each user the read model shows from now on, and when something may be due for them. A due_at of
-- the version that is shown may be set right: what time zones say can change.
INSERT INTO read_1.users (partition, user_id, version, due_at, state_bytes)
SELECT $1::integer, unnest($2::uuid[]), unnest($3::bigint[]), unnest($4::timestamptz[]), unnest($5::bigint[])
ON CONFLICT (partition, user_id) DO UPDATE SET
    version = EXCLUDED.version, due_at = EXCLUDED.due_at, state_bytes = EXCLUDED.state_bytes
WHERE users.version <= EXCLUDED.version
