-- One switch silences all apps (rule N17), and what was done with a notification waits for its app (rule N20).

ALTER TYPE event_type ADD VALUE IF NOT EXISTS 'alertsSilenced.changed';
ALTER TYPE event_type ADD VALUE IF NOT EXISTS 'governmentAlert.posted';
ALTER TYPE event_type ADD VALUE IF NOT EXISTS 'action.handled';

COMMENT ON COLUMN log.format IS
    'What servers of the log may do; 2: events device.incarnationBegan and incarnationEnded; 3: each app has a stream; '
    '4: events alertsSilenced.changed, governmentAlert.posted and action.handled';

CREATE TABLE read_1.waiting_actions (
    partition integer NOT NULL,
    user_id uuid NOT NULL,
    app text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    deleted boolean NOT NULL,
    value bytea NOT NULL,
    memo bytea NOT NULL,
    key_bytes bytea,
    notification_id text,
    action text,
    double_tap boolean,
    performed_at timestamptz,
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

DO $$
BEGIN
    ALTER TABLE read_1.waiting_actions ALTER value SET COMPRESSION lz4, ALTER memo SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
    NULL; -- This server was built without lz4: its default compression serves.
END
$$;

DO $$
DECLARE
    number integer;
    has_rows boolean;
BEGIN
    FOR number IN SELECT generation FROM generations WHERE dropped_at IS NULL ORDER BY generation LOOP
        IF number <> 1 THEN
            EXECUTE format(
                'CREATE TABLE read_%s.waiting_actions (LIKE read_1.waiting_actions INCLUDING ALL)', number);
        END IF;
        EXECUTE format('COMMENT ON TABLE read_%s.waiting_actions IS %L', number,
            'What was done with notifications of an app that is still to hear of it; key: event id (rule N20)');
        -- What has no rows yet is made by fold 5; anything else waits for a rebuild, which tells devices what changes.
        EXECUTE format('SELECT EXISTS (SELECT FROM read_%s.checkpoints WHERE log_offset > 0)', number) INTO has_rows;
        UPDATE generations SET fold_version = 5 WHERE generation = number AND fold_version = 4 AND NOT has_rows;
    END LOOP;
END
$$;

CREATE VIEW read.waiting_actions AS
SELECT
    t.user_id, t.app, t.key AS event_id, t.notification_id, t.action, t.double_tap, t.performed_at, t.version,
    t.partition
FROM read_1.waiting_actions t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON VIEW read.waiting_actions IS
    'What was done with notifications of an app that is still to hear of it (rule N20); what was typed is not shown';
COMMENT ON COLUMN read.waiting_actions.event_id IS 'Of the event that performed it';
COMMENT ON COLUMN read.waiting_actions.notification_id IS 'As the app named it';
COMMENT ON COLUMN read.waiting_actions.action IS 'Id of the action, also for a double tap';
COMMENT ON COLUMN read.waiting_actions.double_tap IS 'Whether it was resolved from a double tap (rule N12)';
COMMENT ON COLUMN read.waiting_actions.performed_at IS 'Time of its stamp';
COMMENT ON COLUMN read.waiting_actions.user_id IS 'Whose row it is';
COMMENT ON COLUMN read.waiting_actions.app IS 'Bundle identifier';
COMMENT ON COLUMN read.waiting_actions.version IS 'Of the user, when the row last changed';
COMMENT ON COLUMN read.waiting_actions.partition IS 'Where the user lives: give it when you know it';
