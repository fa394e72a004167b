-- The chunks of one route's points. $1: partition; $2 to $4: user, app and route, all as the table has them.
SELECT t.key, t.key_bytes, t.memo
FROM read_1.route_points t
WHERE t.partition = $1::integer AND t.user_id = $2::uuid AND t.app = $3::text AND t.route = $4::text
