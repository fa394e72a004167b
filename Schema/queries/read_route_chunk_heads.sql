-- Where each chunk of one route begins, told from its first bytes. $1: partition; $2 to $4: user, app and route, all as
-- the table has them; $5: how many bytes.
SELECT t.key, t.key_bytes, substring(t.memo FROM 1 FOR $5::integer)
FROM read_1.route_points t
WHERE t.partition = $1::integer AND t.user_id = $2::uuid AND t.app = $3::text AND t.route = $4::text
