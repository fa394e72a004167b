-- Puts rows of routes into the read model. $1: partition; the others: one element per row, each row once.
INSERT INTO read_1.routes (
    partition, user_id, app, key, key_bytes, version, deleted, value, memo, activity, finished, workout_id,
    started_by, points, duplicates, dropped, started_at, ended_at, duration_s, moving_s, distance_m,
    elevation_gain_m, elevation_loss_m, min_altitude_m, max_altitude_m, average_speed_mps,
    moving_average_speed_mps, max_speed_mps, fastest_1km_s, fastest_5km_s, fastest_10km_s
)
SELECT
    $1::integer, unnest($2::uuid[]), unnest($3::text[]), unnest($4::text[]), unnest($5::bytea[]),
    unnest($6::bigint[]), unnest($7::boolean[]), unnest($8::bytea[]), unnest($9::bytea[]), unnest($10::text[]),
    unnest($11::boolean[]), unnest($12::text[]), unnest($13::text[])::uuid, unnest($14::bigint[]),
    unnest($15::bigint[]), unnest($16::bigint[]), unnest($17::timestamptz[]), unnest($18::timestamptz[]),
    unnest($19::double precision[]), unnest($20::double precision[]), unnest($21::double precision[]),
    unnest($22::double precision[]), unnest($23::double precision[]), unnest($24::double precision[]),
    unnest($25::double precision[]), unnest($26::double precision[]), unnest($27::double precision[]),
    unnest($28::double precision[]), unnest($29::double precision[]), unnest($30::double precision[]),
    unnest($31::double precision[])
ON CONFLICT (partition, user_id, app, key) DO UPDATE SET
    version = EXCLUDED.version, deleted = EXCLUDED.deleted, value = EXCLUDED.value, memo = EXCLUDED.memo,
    activity = EXCLUDED.activity, finished = EXCLUDED.finished, workout_id = EXCLUDED.workout_id,
    started_by = EXCLUDED.started_by, points = EXCLUDED.points, duplicates = EXCLUDED.duplicates,
    dropped = EXCLUDED.dropped, started_at = EXCLUDED.started_at, ended_at = EXCLUDED.ended_at,
    duration_s = EXCLUDED.duration_s, moving_s = EXCLUDED.moving_s, distance_m = EXCLUDED.distance_m,
    elevation_gain_m = EXCLUDED.elevation_gain_m, elevation_loss_m = EXCLUDED.elevation_loss_m,
    min_altitude_m = EXCLUDED.min_altitude_m, max_altitude_m = EXCLUDED.max_altitude_m,
    average_speed_mps = EXCLUDED.average_speed_mps,
    moving_average_speed_mps = EXCLUDED.moving_average_speed_mps, max_speed_mps = EXCLUDED.max_speed_mps,
    fastest_1km_s = EXCLUDED.fastest_1km_s, fastest_5km_s = EXCLUDED.fastest_5km_s,
    fastest_10km_s = EXCLUDED.fastest_10km_s
