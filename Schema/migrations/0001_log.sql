-- The log: what happened, in commit order, for ever (architecture.md §1).
-- Every key starts with partition, and every statement filters by it: that is what a distributed log needs.

-- Names of `EventType`. A new value is added by a migration of its own: it is usable only after that one commits.
CREATE TYPE event_type AS ENUM (
    'app.registered',
    'authorization.changed',
    'focus.configured',
    'focus.removed',
    'focus.changed',
    'focus.statusReported',
    'focus.expired',
    'audience.changed',
    'notification.posted',
    'notification.read',
    'notification.removed',
    'badge.cleared',
    'route.started',
    'route.locationsInserted',
    'workout.saved',
    'route.finished',
    'route.discarded',
    'event.refused'
);

CREATE TABLE log (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    log_id uuid NOT NULL,
    partitions integer NOT NULL CHECK (partitions BETWEEN 1 AND 4096),
    hash text NOT NULL,
    format integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE log IS 'One row: the identity of this log, fixed at creation';
COMMENT ON COLUMN log.partitions IS 'P: a user lives in partition hash(user id) mod P';
COMMENT ON COLUMN log.hash IS 'sha256-64be: first 8 bytes, big-endian, of SHA-256 of the 16-byte user id';
COMMENT ON COLUMN log.format IS 'Version of the layout of events';

-- A row is rewritten by every append: room on its page keeps those updates heap-only, and vacuum comes early.
CREATE TABLE log_partitions (
    partition integer PRIMARY KEY CHECK (partition >= 0),
    generation integer NOT NULL DEFAULT 1 CHECK (generation >= 1),
    next_offset bigint NOT NULL DEFAULT 0 CHECK (next_offset >= first_offset),
    first_offset bigint NOT NULL DEFAULT 0 CHECK (first_offset >= 0),
    last_recorded_at timestamptz NOT NULL DEFAULT '1970-01-01T00:00:00Z'
) WITH (
    fillfactor = 10,
    autovacuum_vacuum_threshold = 200,
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_threshold = 1000000000
);
COMMENT ON TABLE log_partitions IS 'One row per partition; its lock orders all appends to it';
COMMENT ON COLUMN log_partitions.next_offset IS 'Offset that the next event gets; events below it are committed';
COMMENT ON COLUMN log_partitions.first_offset IS 'Smallest offset still in the log';
COMMENT ON COLUMN log_partitions.last_recorded_at IS 'recorded_at of the newest event; never goes backwards';
COMMENT ON COLUMN log_partitions.generation IS 'Active generation of the read model: schema read_<generation>';

-- Columns stand widest first within their alignment, which saves 12 bytes a row.
CREATE TABLE events (
    partition integer NOT NULL,
    type event_type NOT NULL,
    log_offset bigint NOT NULL CHECK (log_offset >= 0),
    version bigint NOT NULL CHECK (version >= 1),
    incarnation bigint NOT NULL,
    device_seq bigint NOT NULL CHECK (device_seq >= 1),
    occurred_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    user_id uuid NOT NULL,
    device_id uuid NOT NULL,
    event_id uuid NOT NULL,
    schema_version integer NOT NULL,
    key_id integer NOT NULL DEFAULT 0,
    encoding smallint NOT NULL DEFAULT 0,
    app_id text COLLATE "C",
    payload bytea NOT NULL,
    PRIMARY KEY (partition, log_offset),
    UNIQUE (partition, user_id, version)
) WITH (
    autovacuum_vacuum_insert_threshold = 100000,
    autovacuum_vacuum_insert_scale_factor = 0.02,
    autovacuum_analyze_threshold = 5000,
    autovacuum_analyze_scale_factor = 0.05
);
COMMENT ON TABLE events IS 'The log: append-only, dense offsets in commit order';
COMMENT ON COLUMN events.log_offset IS 'Place in the partition: 0, 1, 2 … without gaps, in commit order';
COMMENT ON COLUMN events.version IS 'Place in the stream of the user: 1, 2, 3 … without gaps';
COMMENT ON COLUMN events.incarnation IS 'Local store of the device within which device_seq counts';
COMMENT ON COLUMN events.device_seq IS 'Place in the sequence of this device incarnation: 1, 2, 3 … without gaps';
COMMENT ON COLUMN events.occurred_at IS 'As the device reported it';
COMMENT ON COLUMN events.recorded_at IS 'The clock of the server; never goes backwards within a partition';
COMMENT ON COLUMN events.schema_version IS 'Version of the payload message of this type';
COMMENT ON COLUMN events.key_id IS 'Key of the user that encrypts the payload; 0: none';
COMMENT ON COLUMN events.encoding IS '0: payload as the device sent it';
COMMENT ON COLUMN events.app_id IS 'App the event is of; NULL for events of the user';
COMMENT ON COLUMN events.payload IS 'Protobuf message named by type and schema_version';

DO $$
BEGIN
    ALTER TABLE events ALTER COLUMN payload SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
    NULL; -- This server was built without lz4: its default compression serves.
END
$$;

CREATE FUNCTION refuse_change_of_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the log is append-only: % on % refused', TG_OP, TG_TABLE_NAME;
END
$$;
CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE ON events
    FOR EACH ROW EXECUTE FUNCTION refuse_change_of_log();
CREATE TRIGGER events_never_truncated BEFORE TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_log();
CREATE TRIGGER log_identity_fixed BEFORE UPDATE OR DELETE ON log
    FOR EACH ROW EXECUTE FUNCTION refuse_change_of_log();
CREATE TRIGGER log_never_truncated BEFORE TRUNCATE ON log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_log();

-- Roles belong to the cluster, tables to the database: with a name for each database, those that are migrated side by
-- side do not meet in pg_authid.
CREATE FUNCTION app_role() RETURNS name LANGUAGE sql STABLE AS $$
    SELECT ('focusd_app_' || CASE
        WHEN octet_length(current_database()) <= 48 THEN current_database()
        ELSE md5(current_database())
    END)::name
$$;
COMMENT ON FUNCTION app_role() IS 'Role that focusd acts as: it may append to events and read them, nothing else';

CREATE FUNCTION ensure_app_role() RETURNS name LANGUAGE plpgsql AS $$
DECLARE
    role name := app_role();
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
        EXECUTE format('CREATE ROLE %I NOLOGIN', role);
    END IF;
    IF NOT pg_has_role(current_user, role, 'MEMBER') THEN
        EXECUTE format('GRANT %I TO %I', role, current_user);
    END IF;
    EXECUTE format('GRANT USAGE ON SCHEMA public TO %I', role);
    EXECUTE format('GRANT SELECT ON log, log_partitions, events TO %I', role);
    EXECUTE format('GRANT UPDATE ON log_partitions TO %I', role);
    EXECUTE format('GRANT INSERT ON events TO %I', role);
    RETURN role;
END
$$;
COMMENT ON FUNCTION ensure_app_role() IS 'Makes the role of app_role() and grants what it needs; run after each migration';
