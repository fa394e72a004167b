-- Preferences with registered defaults (domain.md §6).

ALTER TYPE event_type ADD VALUE IF NOT EXISTS 'preferences.registered';
ALTER TYPE event_type ADD VALUE IF NOT EXISTS 'preference.changed';
ALTER TYPE event_type ADD VALUE IF NOT EXISTS 'preference.reset';

CREATE TABLE read_1.preferences (
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
    setting jsonb,
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.preferences IS 'Effective values of preferences; key: the preference (rules P1, P3)';

CREATE TABLE read_1.preference_defaults (
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
COMMENT ON TABLE read_1.preference_defaults IS 'Internal: the defaults that each app registered (domain.md §6)';

DO $$
DECLARE
    collection text;
BEGIN
    FOREACH collection IN ARRAY ARRAY['preferences', 'preference_defaults']
    LOOP
        EXECUTE format(
            'ALTER TABLE read_1.%I ALTER value SET COMPRESSION lz4, ALTER memo SET COMPRESSION lz4', collection);
    END LOOP;
EXCEPTION WHEN feature_not_supported THEN
    NULL; -- This server was built without lz4: its default compression serves.
END
$$;

CREATE VIEW read.preferences AS
SELECT
    t.user_id, t.app, t.key AS preference, t.kind, t.setting, t.version, t.partition
FROM read_1.preferences t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON VIEW read.preferences IS 'Effective values of preferences: set, else registered (rule P1)';
COMMENT ON COLUMN read.preferences.user_id IS 'Whose it is';
COMMENT ON COLUMN read.preferences.app IS 'The app that it is of';
COMMENT ON COLUMN read.preferences.preference IS 'The key, as the app names it';
COMMENT ON COLUMN read.preferences.kind IS 'bool, integer, real, string, date, data, array or dictionary (rule P2)';
COMMENT ON COLUMN read.preferences.setting IS
    'The value as plain JSON: dates in microseconds since 1970, data in base64';
COMMENT ON COLUMN read.preferences.version IS 'Version of the event that last changed the effective value';
COMMENT ON COLUMN read.preferences.partition IS 'Where the user lives: give it when you know it';
