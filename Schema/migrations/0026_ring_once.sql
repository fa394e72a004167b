-- An alert rings first on the device in use, and on the others if it stays unread (rules N18, T4, T5).

ALTER TYPE event_type ADD VALUE IF NOT EXISTS 'device.activity';
ALTER TYPE event_type ADD VALUE IF NOT EXISTS 'device.activityEnded';
ALTER TYPE event_type ADD VALUE IF NOT EXISTS 'alert.ringsElsewhere';

COMMENT ON COLUMN log.format IS
    'What servers of the log may do; 2: events device.incarnationBegan and incarnationEnded; 3: each app has a stream; '
    '4: events alertsSilenced.changed, governmentAlert.posted, action.handled, device.activity, device.activityEnded and '
    'alert.ringsElsewhere';

CREATE TABLE read_1.device_activity (
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

ALTER TABLE read_1.alerts
    ADD COLUMN first_device text COLLATE "C", ADD COLUMN others_at timestamptz, ADD COLUMN others_ring boolean;
ALTER TABLE read_1.class_alerts
    ADD COLUMN first_device text COLLATE "C", ADD COLUMN others_at timestamptz, ADD COLUMN others_ring boolean;

DO $$
DECLARE
    number integer;
    collection text;
BEGIN
    FOR number IN SELECT generation FROM generations WHERE dropped_at IS NULL ORDER BY generation LOOP
        IF number <> 1 THEN
            EXECUTE format(
                'CREATE TABLE read_%s.device_activity (LIKE read_1.device_activity INCLUDING ALL)', number);
        END IF;
        EXECUTE format('COMMENT ON TABLE read_%s.device_activity IS %L', number,
            'Internal: which devices are in use, and what is in front there (rule N18)');
        FOREACH collection IN ARRAY ARRAY['alerts', 'class_alerts'] LOOP
            CONTINUE WHEN number = 1;
            EXECUTE format('ALTER TABLE read_%s.%I ADD COLUMN first_device text COLLATE "C", '
                'ADD COLUMN others_at timestamptz, ADD COLUMN others_ring boolean', number, collection);
        END LOOP;
    END LOOP;
END
$$;

CREATE OR REPLACE VIEW read.alerts AS
SELECT
    t.user_id, t.app, t.key AS notification_id, t.alert, t.reason, t.overrides_silent_switch,
    t.introduces_time_sensitive, t.version, t.partition, t.summary_rank, t.first_device, t.others_at, t.others_ring
FROM read_1.alerts t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON COLUMN read.alerts.first_device IS 'Rings first, because it was in use (rule N18); NULL: all ring at once';
COMMENT ON COLUMN read.alerts.others_at IS 'When it rings elsewhere if unread (rule T4); NULL: it does not wait';
COMMENT ON COLUMN read.alerts.others_ring IS 'Whether it rang elsewhere after that; NULL: older than this column';

CREATE OR REPLACE VIEW read.class_alerts AS
SELECT
    t.user_id, t.app, substr(t.key, strpos(t.key, '/') + 1) AS notification_id, t.device_class, t.alert, t.reason,
    t.overrides_silent_switch, t.introduces_time_sensitive, t.summary_rank, t.version, t.partition, t.first_device,
    t.others_at, t.others_ring
FROM read_1.class_alerts t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON COLUMN read.class_alerts.first_device IS 'As in read.alerts';
COMMENT ON COLUMN read.class_alerts.others_at IS 'As in read.alerts';
COMMENT ON COLUMN read.class_alerts.others_ring IS 'As in read.alerts';
