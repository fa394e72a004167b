-- Donated interactions, suggestions, categories and actions (domain.md §3, §4).

-- Usable once this migration has committed; nothing below uses them.
ALTER TYPE event_type ADD VALUE 'interaction.donated';
ALTER TYPE event_type ADD VALUE 'interaction.deleted';
ALTER TYPE event_type ADD VALUE 'categories.registered';
ALTER TYPE event_type ADD VALUE 'notification.actionPerformed';

CREATE TABLE read_1.categories (
    partition integer NOT NULL,
    user_id uuid NOT NULL,
    app text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    deleted boolean NOT NULL,
    value bytea NOT NULL,
    memo bytea NOT NULL,
    key_bytes bytea,
    categories bigint,
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.categories IS 'Kinds of notifications of each app (rule N1)';

CREATE TABLE read_1.actions (
    partition integer NOT NULL,
    user_id uuid NOT NULL,
    app text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    deleted boolean NOT NULL,
    value bytea NOT NULL,
    memo bytea NOT NULL,
    key_bytes bytea,
    action text,
    double_tap boolean,
    performed_at timestamptz,
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.actions IS 'What was done with listed notifications; key: notification id (rule N12)';

CREATE TABLE read_1.suggestions (
    partition integer NOT NULL,
    user_id uuid NOT NULL,
    app text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    deleted boolean NOT NULL,
    value bytea NOT NULL,
    memo bytea NOT NULL,
    key_bytes bytea,
    outgoing bigint,
    incoming bigint,
    last_at timestamptz,
    score double precision,
    PRIMARY KEY (partition, user_id, app, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE read_1.suggestions IS 'People suggested for Focus breakthrough; key: handle; no app: over all (rule I3)';

CREATE TABLE read_1.interactions (
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
COMMENT ON TABLE read_1.interactions IS 'Internal: donations and deletions (rules I2, I4); key: i/id or c/conversation';

DO $$
DECLARE
    collection text;
BEGIN
    FOREACH collection IN ARRAY ARRAY['categories', 'actions', 'suggestions', 'interactions']
    LOOP
        EXECUTE format(
            'ALTER TABLE read_1.%I ALTER value SET COMPRESSION lz4, ALTER memo SET COMPRESSION lz4', collection);
    END LOOP;
EXCEPTION WHEN feature_not_supported THEN
    NULL; -- This server was built without lz4: its default compression serves.
END
$$;

CREATE VIEW read.categories AS
SELECT
    t.user_id, t.app, t.categories, t.version, t.partition
FROM read_1.categories t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON VIEW read.categories IS 'Apps that registered kinds of notifications (rule N1)';
COMMENT ON COLUMN read.categories.categories IS 'How many';

CREATE VIEW read.actions AS
SELECT
    t.user_id, t.app, t.key AS notification_id, t.action, t.double_tap, t.performed_at, t.version, t.partition
FROM read_1.actions t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON VIEW read.actions IS 'What was done with listed notifications (rule N12)';
COMMENT ON COLUMN read.actions.action IS 'Id of the action, also for a double tap';
COMMENT ON COLUMN read.actions.performed_at IS 'Time of its stamp';

CREATE VIEW read.suggestions AS
SELECT
    t.user_id, nullif(t.app, '') AS app, t.key AS person, t.outgoing, t.incoming, t.last_at, t.score, t.version,
    t.partition
FROM read_1.suggestions t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1
WHERE NOT t.deleted;
COMMENT ON VIEW read.suggestions IS 'People suggested for Focus breakthrough (rule I3)';
COMMENT ON COLUMN read.suggestions.app IS 'NULL: over all apps';
COMMENT ON COLUMN read.suggestions.person IS 'Handle';
COMMENT ON COLUMN read.suggestions.outgoing IS 'Donated interactions that went to the person';
COMMENT ON COLUMN read.suggestions.incoming IS 'Donated interactions that came from the person';
COMMENT ON COLUMN read.suggestions.last_at IS 'Start of the newest interaction';
COMMENT ON COLUMN read.suggestions.score IS 'As of the UTC day of last_at; halves every 14 days after it';
