-- Puts rows of route_totals into the read model. $1: partition; the others: one element per row, each row once.
INSERT INTO read_1.route_totals (
    partition, user_id, app, key, key_bytes, version, deleted, value, memo, activity, period, starts_on, routes,
    distance_m, moving_s, elevation_gain_m, longest_m, longest_route_id, fastest_1km_s, fastest_5km_s, fastest_10km_s
)
SELECT
    $1::integer, unnest($2::uuid[]), unnest($3::text[]), unnest($4::text[]), unnest($5::bytea[]),
    unnest($6::bigint[]), unnest($7::boolean[]), unnest($8::bytea[]), unnest($9::bytea[]), unnest($10::text[]),
    unnest($11::text[]), unnest($12::text[])::date, unnest($13::bigint[]), unnest($14::double precision[]),
    unnest($15::double precision[]), unnest($16::double precision[]), unnest($17::double precision[]),
    unnest($18::text[]), unnest($19::double precision[]), unnest($20::double precision[]),
    unnest($21::double precision[])
ON CONFLICT (partition, user_id, app, key) DO UPDATE SET
    version = EXCLUDED.version, deleted = EXCLUDED.deleted, value = EXCLUDED.value, memo = EXCLUDED.memo,
    activity = EXCLUDED.activity, period = EXCLUDED.period, starts_on = EXCLUDED.starts_on,
    routes = EXCLUDED.routes, distance_m = EXCLUDED.distance_m, moving_s = EXCLUDED.moving_s,
    elevation_gain_m = EXCLUDED.elevation_gain_m, longest_m = EXCLUDED.longest_m,
    longest_route_id = EXCLUDED.longest_route_id, fastest_1km_s = EXCLUDED.fastest_1km_s,
    fastest_5km_s = EXCLUDED.fastest_5km_s, fastest_10km_s = EXCLUDED.fastest_10km_s
