-- The read model: what the log adds up to (architecture.md §2). It may lag behind the log and can be made again from
-- it. Each build has a schema of its own, read_<generation>, whose name never changes; views in schema read show the
-- active generation of each partition.

CREATE TABLE generations (
    generation integer PRIMARY KEY CHECK (generation >= 1),
    fold_version integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE generations IS 'Builds of the read model';
COMMENT ON COLUMN generations.fold_version IS 'Version of the fold that fills it: programs with another one only read it';

CREATE SCHEMA read_1;
COMMENT ON SCHEMA read_1 IS 'Generation 1 of the read model';

CREATE TABLE read_1.checkpoints (
    partition integer PRIMARY KEY,
    log_offset bigint NOT NULL DEFAULT 0 CHECK (log_offset >= 0)
) WITH (
    fillfactor = 10,
    autovacuum_vacuum_threshold = 200,
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_threshold = 1000000000
);
COMMENT ON TABLE read_1.checkpoints IS 'How far the projector got; its lock orders projectors';
COMMENT ON COLUMN read_1.checkpoints.log_offset IS 'Events of the partition below it are in the read model';

CREATE TABLE read_1.users (
    partition integer NOT NULL,
    user_id uuid NOT NULL,
    version bigint NOT NULL CHECK (version >= 1),
    PRIMARY KEY (partition, user_id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.users IS 'Version of each user that the rows of this generation show';

-- Every collection alike: value holds the bytes that devices get, memo what the fold remembers beside them; the columns
-- after these are for people, filled from value. Internal collections are never sent to devices.
-- A key that no index takes (over 1,000 bytes, or with U+0000) stands in key_bytes, and key holds a stand-in.

CREATE TABLE read_1.apps (
    partition integer NOT NULL,
    user_id uuid NOT NULL,
    app text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    deleted boolean NOT NULL,
    value bytea NOT NULL,
    memo bytea NOT NULL,
    key_bytes bytea,
    name text,
    build bigint,
    capabilities text[],
    declared_intents text[],
    has_usage_description boolean,
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.apps IS 'Registered apps (domain.md §1)';

CREATE TABLE read_1.authorizations (
    partition integer NOT NULL,
    user_id uuid NOT NULL,
    app text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    deleted boolean NOT NULL,
    value bytea NOT NULL,
    memo bytea NOT NULL,
    key_bytes bytea,
    kind text,
    status text,
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.authorizations IS 'What the person allowed each app (domain.md §1)';

CREATE TABLE read_1.focuses (
    partition integer NOT NULL,
    user_id uuid NOT NULL,
    app text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    deleted boolean NOT NULL,
    value bytea NOT NULL,
    memo bytea NOT NULL,
    key_bytes bytea,
    name text,
    symbol text,
    allows_time_sensitive boolean,
    shares_status boolean,
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.focuses IS 'Configured Focuses; key: Focus id (domain.md §2)';

CREATE TABLE read_1.active_focus (
    partition integer NOT NULL,
    user_id uuid NOT NULL,
    app text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    deleted boolean NOT NULL,
    value bytea NOT NULL,
    memo bytea NOT NULL,
    key_bytes bytea,
    focus_id text,
    ends_at timestamptz,
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.active_focus IS 'The one Focus that is on (rule F1)';

CREATE TABLE read_1.focus_visibility (
    partition integer NOT NULL,
    user_id uuid NOT NULL,
    app text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    deleted boolean NOT NULL,
    value bytea NOT NULL,
    memo bytea NOT NULL,
    key_bytes bytea,
    is_focused boolean,
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.focus_visibility IS 'Focus status as each app sees it (rule F3)';

CREATE TABLE read_1.audience (
    partition integer NOT NULL,
    user_id uuid NOT NULL,
    app text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    deleted boolean NOT NULL,
    value bytea NOT NULL,
    memo bytea NOT NULL,
    key_bytes bytea,
    member uuid,
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.audience IS 'Who may be shown the status in an app (rule F5)';

CREATE TABLE read_1.notifications (
    partition integer NOT NULL,
    user_id uuid NOT NULL,
    app text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    deleted boolean NOT NULL,
    value bytea NOT NULL,
    memo bytea NOT NULL,
    key_bytes bytea,
    title text,
    subtitle text,
    body text,
    level text,
    relevance double precision,
    marketing boolean,
    category text,
    thread text,
    posted_at timestamptz,
    is_read boolean,
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.notifications IS 'Listed notifications; key: notification id (rule N7)';

CREATE TABLE read_1.alerts (
    partition integer NOT NULL,
    user_id uuid NOT NULL,
    app text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    deleted boolean NOT NULL,
    value bytea NOT NULL,
    memo bytea NOT NULL,
    key_bytes bytea,
    alert text,
    reason text,
    overrides_silent_switch boolean,
    introduces_time_sensitive boolean,
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.alerts IS 'Alert decisions; key: notification id (rules N9, N10)';

CREATE TABLE read_1.badges (
    partition integer NOT NULL,
    user_id uuid NOT NULL,
    app text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    deleted boolean NOT NULL,
    value bytea NOT NULL,
    memo bytea NOT NULL,
    key_bytes bytea,
    unread bigint,
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.badges IS 'The number on the icon of each app (rules B1, B2)';

CREATE TABLE read_1.routes (
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
    finished boolean NOT NULL,
    workout_id text,
    started_by uuid,
    points bigint,
    duplicates bigint,
    dropped bigint,
    started_at timestamptz,
    ended_at timestamptz,
    duration_s double precision,
    moving_s double precision,
    distance_m double precision,
    elevation_gain_m double precision,
    elevation_loss_m double precision,
    min_altitude_m double precision,
    max_altitude_m double precision,
    average_speed_mps double precision,
    moving_average_speed_mps double precision,
    max_speed_mps double precision,
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.routes IS 'Workout routes; key: route id (domain.md §7)';

CREATE TABLE read_1.workouts (
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
    started_at timestamptz,
    ended_at timestamptz,
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.workouts IS 'Saved workouts; key: workout id (domain.md §7)';

CREATE TABLE read_1.refusals (
    partition integer NOT NULL,
    user_id uuid NOT NULL,
    app text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    deleted boolean NOT NULL,
    value bytea NOT NULL,
    memo bytea NOT NULL,
    key_bytes bytea,
    event_id uuid,
    type text,
    code text,
    message text,
    occurred_at timestamptz,
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.refusals IS 'Events that broke a rule; key: device/incarnation/sequence (rule E2)';

CREATE TABLE read_1.stream (
    partition integer NOT NULL,
    user_id uuid NOT NULL,
    app text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    deleted boolean NOT NULL,
    value bytea NOT NULL,
    memo bytea NOT NULL,
    key_bytes bytea,
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.stream IS 'Internal: the stream itself';

CREATE TABLE read_1.devices (
    partition integer NOT NULL,
    user_id uuid NOT NULL,
    app text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    deleted boolean NOT NULL,
    value bytea NOT NULL,
    memo bytea NOT NULL,
    key_bytes bytea,
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.devices IS 'Internal: sequences and remembered answers (rule E1); key: device id';

CREATE TABLE read_1.route_points (
    partition integer NOT NULL,
    user_id uuid NOT NULL,
    app text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    deleted boolean NOT NULL,
    value bytea NOT NULL,
    memo bytea NOT NULL,
    key_bytes bytea,
    route text COLLATE "C" NOT NULL,
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.route_points IS 'Internal: accepted points of routes in chunks; key: route/chunk';

DO $$
DECLARE
    collection text;
BEGIN
    FOR collection IN
        SELECT table_name FROM information_schema.columns WHERE table_schema = 'read_1' AND column_name = 'memo'
    LOOP
        EXECUTE format(
            'ALTER TABLE read_1.%I ALTER value SET COMPRESSION lz4, ALTER memo SET COMPRESSION lz4', collection);
    END LOOP;
EXCEPTION WHEN feature_not_supported THEN
    NULL; -- This server was built without lz4: its default compression serves.
END
$$;

-- For people: the active generation, without tombstones.
CREATE SCHEMA read;
COMMENT ON SCHEMA read IS 'What users and apps look like now, a moment behind the log: for SQL users. Names stay';

CREATE VIEW read.users AS
SELECT t.user_id, t.version, t.partition
FROM read_1.users t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1;
COMMENT ON VIEW read.users IS 'Users and the version that the other views show of them';
COMMENT ON COLUMN read.users.version IS 'Place in the stream of the user';

CREATE VIEW read.apps AS
SELECT
    t.user_id, t.app, t.name, t.build, t.capabilities, t.declared_intents, t.has_usage_description, t.version,
    t.partition
FROM read_1.apps t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON VIEW read.apps IS 'Registered apps (domain.md §1)';
COMMENT ON COLUMN read.apps.name IS 'As the app calls itself';
COMMENT ON COLUMN read.apps.build IS 'Build number';
COMMENT ON COLUMN read.apps.capabilities IS 'communication, timeSensitive, …';
COMMENT ON COLUMN read.apps.declared_intents IS 'sendMessage, startCall';
COMMENT ON COLUMN read.apps.has_usage_description IS 'Rule A1: without one focusStatus counts as not authorized';

CREATE VIEW read.authorizations AS
SELECT
    t.user_id, t.app, t.kind, t.status, t.version, t.partition
FROM read_1.authorizations t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON VIEW read.authorizations IS 'What the person allowed each app (domain.md §1)';
COMMENT ON COLUMN read.authorizations.kind IS 'notifications, focusStatus, …';
COMMENT ON COLUMN read.authorizations.status IS 'notDetermined, denied, authorized, …';

CREATE VIEW read.focuses AS
SELECT
    t.user_id, t.key AS focus_id, t.name, t.symbol, t.allows_time_sensitive, t.shares_status, t.version,
    t.partition
FROM read_1.focuses t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON VIEW read.focuses IS 'Configured Focuses; key: Focus id (domain.md §2)';
COMMENT ON COLUMN read.focuses.shares_status IS 'Whether apps may be told that it is on';

CREATE VIEW read.active_focus AS
SELECT
    t.user_id, t.focus_id, t.ends_at, t.version, t.partition
FROM read_1.active_focus t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON VIEW read.active_focus IS 'The one Focus that is on (rule F1)';
COMMENT ON COLUMN read.active_focus.ends_at IS 'When it ends by itself; NULL: when somebody ends it';

CREATE VIEW read.focus_visibility AS
SELECT
    t.user_id, t.app, t.is_focused,
    CASE WHEN t.is_focused THEN 'focused' WHEN NOT t.is_focused THEN 'notFocused' ELSE 'unavailable' END AS status,
    t.version, t.partition
FROM read_1.focus_visibility t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON VIEW read.focus_visibility IS 'Focus status as each app sees it (rule F3)';
COMMENT ON COLUMN read.focus_visibility.is_focused IS 'NULL: unavailable';

CREATE VIEW read.audience AS
SELECT
    t.user_id, t.app, t.member, t.version, t.partition
FROM read_1.audience t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON VIEW read.audience IS 'Who may be shown the status in an app (rule F5)';
COMMENT ON COLUMN read.audience.member IS 'The user who may be shown it';

CREATE VIEW read.notifications AS
SELECT
    t.user_id, t.app, t.key AS notification_id, t.title, t.subtitle, t.body, t.level, t.relevance, t.marketing,
    t.category, t.thread, t.posted_at, t.is_read, t.version, t.partition
FROM read_1.notifications t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON VIEW read.notifications IS 'Listed notifications; key: notification id (rule N7)';
COMMENT ON COLUMN read.notifications.title IS 'As shown (rules N5, N6)';
COMMENT ON COLUMN read.notifications.level IS 'passive, active, timeSensitive, critical';
COMMENT ON COLUMN read.notifications.relevance IS '0 to 1';
COMMENT ON COLUMN read.notifications.posted_at IS 'Time of the winning post';
COMMENT ON COLUMN read.notifications.is_read IS 'Counts in the badge until it is read';

CREATE VIEW read.alerts AS
SELECT
    t.user_id, t.app, t.key AS notification_id, t.alert, t.reason, t.overrides_silent_switch,
    t.introduces_time_sensitive, t.version, t.partition
FROM read_1.alerts t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON VIEW read.alerts IS 'Alert decisions; key: notification id (rules N9, N10)';
COMMENT ON COLUMN read.alerts.alert IS 'now, none, heldByFocus, heldForSummary';
COMMENT ON COLUMN read.alerts.reason IS 'What decided it';
COMMENT ON COLUMN read.alerts.introduces_time_sensitive IS 'The first time-sensitive one of its app (rule N3)';

CREATE VIEW read.badges AS
SELECT
    t.user_id, t.app, t.unread, t.version, t.partition
FROM read_1.badges t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON VIEW read.badges IS 'The number on the icon of each app (rules B1, B2)';
COMMENT ON COLUMN read.badges.unread IS 'NULL: no badge is shown';

CREATE VIEW read.routes AS
SELECT
    t.user_id, t.app, t.key AS route_id, t.activity, t.finished, t.workout_id, t.started_by, t.points,
    t.duplicates, t.dropped, t.started_at, t.ended_at, t.duration_s, t.moving_s, t.distance_m,
    t.elevation_gain_m, t.elevation_loss_m, t.min_altitude_m, t.max_altitude_m, t.average_speed_mps,
    t.moving_average_speed_mps, t.max_speed_mps, t.version, t.partition
FROM read_1.routes t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON VIEW read.routes IS 'Workout routes; key: route id (domain.md §7)';
COMMENT ON COLUMN read.routes.finished IS 'Sealed and attached to its workout (rule R4)';
COMMENT ON COLUMN read.routes.started_by IS 'The only device that may add to it';
COMMENT ON COLUMN read.routes.points IS 'Accepted points';
COMMENT ON COLUMN read.routes.duplicates IS 'Points that came again (rule R3)';
COMMENT ON COLUMN read.routes.dropped IS 'Points that rule R2 drops';
COMMENT ON COLUMN read.routes.started_at IS 'First accepted point';
COMMENT ON COLUMN read.routes.ended_at IS 'Last accepted point';
COMMENT ON COLUMN read.routes.moving_s IS 'In segments of at least 0.5 m/s';
COMMENT ON COLUMN read.routes.distance_m IS 'On the WGS 84 ellipsoid';

CREATE VIEW read.workouts AS
SELECT
    t.user_id, t.app, t.key AS workout_id, t.activity, t.started_at, t.ended_at, t.version, t.partition
FROM read_1.workouts t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON VIEW read.workouts IS 'Saved workouts; key: workout id (domain.md §7)';

CREATE VIEW read.refusals AS
SELECT
    t.user_id, nullif(t.app, '') AS app, t.key AS refusal_id, t.event_id, t.type, t.code, t.message,
    t.occurred_at, t.version, t.partition
FROM read_1.refusals t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON VIEW read.refusals IS 'Events that broke a rule; key: device/incarnation/sequence (rule E2)';
COMMENT ON COLUMN read.refusals.type IS 'As the device named it';

CREATE OR REPLACE FUNCTION ensure_app_role() RETURNS name LANGUAGE plpgsql AS $$
DECLARE
    role name := app_role();
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
        EXECUTE format('CREATE ROLE %I NOLOGIN', role);
    END IF;
    IF NOT pg_has_role(current_user, role, 'MEMBER') THEN
        EXECUTE format('GRANT %I TO %I', role, current_user);
    END IF;
    EXECUTE format('GRANT USAGE ON SCHEMA public, read, read_1 TO %I', role);
    EXECUTE format('GRANT SELECT ON log, log_partitions, events, generations TO %I', role);
    EXECUTE format('GRANT UPDATE ON log_partitions TO %I', role);
    EXECUTE format('GRANT INSERT ON events TO %I', role);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA read_1 TO %I', role);
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA read TO %I', role);
    RETURN role;
END
$$;
