-- A user's rows of one collection, all of them. "apps" stands for the collection's table. $1: partition; $2: user.
SELECT t.app, t.key, t.key_bytes, t.version, t.deleted, t.value, t.memo
FROM read_1.apps t
WHERE t.partition = $1 AND t.user_id = $2
