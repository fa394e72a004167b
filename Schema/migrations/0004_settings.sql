-- Notification settings, mutes, scheduled delivery and summaries (rules B2, N10, N15, N16, T3).

-- Usable after this migration commits; nothing below uses them.
ALTER TYPE event_type ADD VALUE 'notificationSettings.changed';
ALTER TYPE event_type ADD VALUE 'app.muted';
ALTER TYPE event_type ADD VALUE 'app.unmuted';
ALTER TYPE event_type ADD VALUE 'deliverySchedule.changed';
ALTER TYPE event_type ADD VALUE 'summary.delivered';

ALTER TABLE read_1.alerts ADD COLUMN summary_rank bigint;
ALTER TABLE read_1.badges ADD COLUMN shown_on text[];

CREATE TABLE read_1.class_alerts (
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
    summary_rank bigint,
    device_class text,
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.class_alerts IS
    'Alert decisions of device classes that differ from the phone; key: class/notification id (rule N15)';

CREATE TABLE read_1.notification_settings (
    partition integer NOT NULL,
    user_id uuid NOT NULL,
    app text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    deleted boolean NOT NULL,
    value bytea NOT NULL,
    memo bytea NOT NULL,
    key_bytes bytea,
    alerts boolean,
    badges boolean,
    sounds boolean,
    previews text,
    time_sensitive boolean,
    scheduled_delivery boolean,
    muted_until timestamptz,
    differs_on text[],
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.notification_settings IS
    'What notifications of an app, or by default of all apps (app empty), may do (rules N15, N16)';

CREATE TABLE read_1.delivery_schedule (
    partition integer NOT NULL,
    user_id uuid NOT NULL,
    app text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    deleted boolean NOT NULL,
    value bytea NOT NULL,
    memo bytea NOT NULL,
    key_bytes bytea,
    times time[],
    time_zone text,
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.delivery_schedule IS 'When summaries come (rule N16)';

DO $$
DECLARE
    collection text;
BEGIN
    FOREACH collection IN ARRAY ARRAY['class_alerts', 'notification_settings', 'delivery_schedule'] LOOP
        EXECUTE format(
            'ALTER TABLE read_1.%I ALTER value SET COMPRESSION lz4, ALTER memo SET COMPRESSION lz4', collection);
    END LOOP;
EXCEPTION WHEN feature_not_supported THEN
    NULL; -- This server was built without lz4: its default compression serves.
END
$$;

-- Columns of a view can only be added at its end.
CREATE OR REPLACE VIEW read.alerts AS
SELECT
    t.user_id, t.app, t.key AS notification_id, t.alert, t.reason, t.overrides_silent_switch,
    t.introduces_time_sensitive, t.version, t.partition, t.summary_rank
FROM read_1.alerts t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON VIEW read.alerts IS
    'Alert decisions of the phone and every class without its own; key: notification id (rules N9, N10)';
COMMENT ON COLUMN read.alerts.summary_rank IS 'Place in the summary it came with, from 1; NULL: it came with none';

CREATE VIEW read.class_alerts AS
SELECT
    t.user_id, t.app, substr(t.key, strpos(t.key, '/') + 1) AS notification_id, t.device_class, t.alert, t.reason,
    t.overrides_silent_switch, t.introduces_time_sensitive, t.summary_rank, t.version, t.partition
FROM read_1.class_alerts t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON VIEW read.class_alerts IS 'Alert decisions of device classes that differ from the phone (rule N15)';
COMMENT ON COLUMN read.class_alerts.device_class IS 'tablet, watch, desktop';
COMMENT ON COLUMN read.class_alerts.alert IS 'now, none, heldByFocus, heldForSummary';
COMMENT ON COLUMN read.class_alerts.reason IS 'What decided it';
COMMENT ON COLUMN read.class_alerts.introduces_time_sensitive IS 'The first time-sensitive one of its app (rule N3)';
COMMENT ON COLUMN read.class_alerts.summary_rank IS 'As in read.alerts';

CREATE OR REPLACE VIEW read.badges AS
SELECT
    t.user_id, t.app, t.unread, t.version, t.partition, t.shown_on
FROM read_1.badges t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON COLUMN read.badges.unread IS 'NULL: the phone shows no badge';
COMMENT ON COLUMN read.badges.shown_on IS 'Device classes that show it (rules B2, N15); NULL: older than this column';

CREATE VIEW read.notification_settings AS
SELECT
    t.user_id, nullif(t.app, '') AS app, t.alerts, t.badges, t.sounds, t.previews, t.time_sensitive,
    t.scheduled_delivery, t.muted_until, t.differs_on, t.version, t.partition
FROM read_1.notification_settings t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON VIEW read.notification_settings IS
    'What notifications of an app may do on the phone, everything it follows looked up (rules N15, N16)';
COMMENT ON COLUMN read.notification_settings.app IS 'NULL: the default for all apps';
COMMENT ON COLUMN read.notification_settings.previews IS 'always, whenUnlocked, never';
COMMENT ON COLUMN read.notification_settings.time_sensitive IS 'Whether time-sensitive ones may break through';
COMMENT ON COLUMN read.notification_settings.scheduled_delivery IS 'Whether alerts wait for the summary';
COMMENT ON COLUMN read.notification_settings.muted_until IS 'What is posted before it does not ring; may be over';
COMMENT ON COLUMN read.notification_settings.differs_on IS 'Device classes whose settings are not those of the phone';

CREATE VIEW read.delivery_schedule AS
SELECT
    t.user_id, t.times, t.time_zone, t.version, t.partition
FROM read_1.delivery_schedule t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON VIEW read.delivery_schedule IS 'When summaries come (rule N16)';
COMMENT ON COLUMN read.delivery_schedule.times IS 'Local times of day';
COMMENT ON COLUMN read.delivery_schedule.time_zone IS 'As the device named it';
