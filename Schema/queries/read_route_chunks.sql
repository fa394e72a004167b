-- Some chunks of one route's points. $1: partition; $2 and $3: user and app; $4: their keys, as the table has them.
SELECT t.key, t.key_bytes, t.memo
FROM read_1.route_points t
WHERE t.partition = $1::integer AND t.user_id = $2::uuid AND t.app = $3::text AND t.key = ANY ($4::text[])
