-- Says which version of each user the read model shows from now on.
INSERT INTO read_1.users (partition, user_id, version)
SELECT $1::integer, unnest($2::uuid[]), unnest($3::bigint[])
ON CONFLICT (partition, user_id) DO UPDATE SET version = EXCLUDED.version
WHERE users.version < EXCLUDED.version
