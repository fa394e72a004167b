-- What finished routes add up to, and the fastest stretches of each (rule R7).

CREATE TABLE read_1.route_totals (
    partition integer NOT NULL,
    user_id uuid NOT NULL,
    app text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    deleted boolean NOT NULL,
    value bytea NOT NULL,
    memo bytea NOT NULL,
    key_bytes bytea,
    activity text,
    period text,
    starts_on date,
    routes bigint,
    distance_m double precision,
    moving_s double precision,
    elevation_gain_m double precision,
    longest_m double precision,
    longest_route_id text,
    fastest_1km_s double precision,
    fastest_5km_s double precision,
    fastest_10km_s double precision,
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.route_totals IS 'Finished routes by activity and day, week, month, all time (rule R7)';

ALTER TABLE read_1.routes
    ADD COLUMN fastest_1km_s double precision,
    ADD COLUMN fastest_5km_s double precision,
    ADD COLUMN fastest_10km_s double precision;

DO $$
BEGIN
    ALTER TABLE read_1.route_totals ALTER value SET COMPRESSION lz4, ALTER memo SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
    NULL; -- This server was built without lz4: its default compression serves.
END
$$;

CREATE VIEW read.route_totals AS
SELECT
    t.user_id, nullif(t.app, '') AS app, t.activity, t.period, t.starts_on, t.routes, t.distance_m, t.moving_s,
    t.elevation_gain_m, t.longest_m, t.longest_route_id, t.fastest_1km_s, t.fastest_5km_s, t.fastest_10km_s,
    t.version, t.partition
FROM read_1.route_totals t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON VIEW read.route_totals IS 'Finished routes by activity and day, week, month, all time (rule R7)';
COMMENT ON COLUMN read.route_totals.user_id IS 'Whose routes';
COMMENT ON COLUMN read.route_totals.app IS 'NULL: over all apps. Never add rows with and without an app';
COMMENT ON COLUMN read.route_totals.activity IS 'As the app named it: running, cycling, …';
COMMENT ON COLUMN read.route_totals.period IS 'day, week (ISO 8601), month, all';
COMMENT ON COLUMN read.route_totals.starts_on IS
    'First day of the period, where the routes were. NULL: all time, or outside the years 1 to 9999';
COMMENT ON COLUMN read.route_totals.routes IS 'Finished routes whose first accepted point is in the period';
COMMENT ON COLUMN read.route_totals.distance_m IS 'On the WGS 84 ellipsoid; each route rounded to a millimetre';
COMMENT ON COLUMN read.route_totals.moving_s IS 'In segments of at least 0.5 m/s';
COMMENT ON COLUMN read.route_totals.elevation_gain_m IS 'Noise below 3 m left out; each route rounded to a millimetre';
COMMENT ON COLUMN read.route_totals.longest_m IS 'Distance of the longest route';
COMMENT ON COLUMN read.route_totals.longest_route_id IS 'The longest route; of equals the first recorded';
COMMENT ON COLUMN read.route_totals.fastest_1km_s IS 'Least time for any 1,000 m within a route. NULL: none is as long';
COMMENT ON COLUMN read.route_totals.fastest_5km_s IS 'Least time for any 5,000 m within a route';
COMMENT ON COLUMN read.route_totals.fastest_10km_s IS 'Least time for any 10,000 m within a route';
COMMENT ON COLUMN read.route_totals.version IS 'Event at which the row last changed';
COMMENT ON COLUMN read.route_totals.partition IS 'Of the user';

-- New columns of a view come last.
CREATE OR REPLACE VIEW read.routes AS
SELECT
    t.user_id, t.app, t.key AS route_id, t.activity, t.finished, t.workout_id, t.started_by, t.points,
    t.duplicates, t.dropped, t.started_at, t.ended_at, t.duration_s, t.moving_s, t.distance_m,
    t.elevation_gain_m, t.elevation_loss_m, t.min_altitude_m, t.max_altitude_m, t.average_speed_mps,
    t.moving_average_speed_mps, t.max_speed_mps, t.version, t.partition, t.fastest_1km_s, t.fastest_5km_s,
    t.fastest_10km_s
FROM read_1.routes t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON COLUMN read.routes.fastest_1km_s IS
    'Least time for any 1,000 m of it (rule R7). NULL: not finished, or not as long';
COMMENT ON COLUMN read.routes.fastest_5km_s IS 'Least time for any 5,000 m of it';
COMMENT ON COLUMN read.routes.fastest_10km_s IS 'Least time for any 10,000 m of it';
