-- Sessions of an app count by a stream of that app's own (rule Z1). The fold remembers where each stream is, and behind
-- the memo of an app's row the row's place in it.

COMMENT ON COLUMN log.format IS
    'What servers of the log may do; 2: events device.incarnationBegan and incarnationEnded; 3: each app has a stream';

CREATE TABLE read_1.app_streams (
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

-- Fold 4 reads no rows of fold 3: what is shown is emptied and filled again from the log, in the background, when a
-- server starts. Reads stay right meanwhile: a user is loaded from the events.
DO $$
DECLARE
    number integer;
    collection text;
BEGIN
    FOR number IN SELECT generation FROM generations WHERE dropped_at IS NULL ORDER BY generation LOOP
        IF number <> 1 THEN
            EXECUTE format('CREATE TABLE read_%s.app_streams (LIKE read_1.app_streams INCLUDING ALL)', number);
        END IF;
        EXECUTE format('COMMENT ON TABLE read_%s.app_streams IS %L', number,
            'Internal: where the stream of each app is (rule Z1); key: empty');
        CONTINUE WHEN NOT EXISTS (SELECT FROM log_partitions p WHERE p.generation = number);
        FOR collection IN
            SELECT c.table_name FROM information_schema.columns c
            JOIN information_schema.tables t USING (table_schema, table_name)
            WHERE c.table_schema = 'read_' || number AND c.column_name = 'user_id' AND t.table_type = 'BASE TABLE'
        LOOP
            EXECUTE format('TRUNCATE read_%s.%I', number, collection);
        END LOOP;
        EXECUTE format('UPDATE read_%s.checkpoints SET log_offset = 0', number);
        UPDATE generations SET fold_version = 4 WHERE generation = number;
    END LOOP;
END
$$;
