-- An incarnation belongs to one scope of its device and ends when another follows it (rule P10); what stands at a place
-- of a device is found however long ago it was logged (rule E1).

ALTER TYPE event_type ADD VALUE IF NOT EXISTS 'device.incarnationBegan';
ALTER TYPE event_type ADD VALUE IF NOT EXISTS 'device.incarnationEnded';

-- The format says which kinds of events a log may hold. It grows when every program that reads the log knows them;
-- nothing else of a log's identity ever changes.
CREATE FUNCTION refuse_change_of_identity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR NEW.format < OLD.format
        OR ROW(NEW.singleton, NEW.log_id, NEW.partitions, NEW.hash, NEW.created_at)
            IS DISTINCT FROM ROW(OLD.singleton, OLD.log_id, OLD.partitions, OLD.hash, OLD.created_at)
    THEN
        RAISE EXCEPTION 'the identity of a log is fixed: % on % refused', TG_OP, TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END
$$;
DROP TRIGGER log_identity_fixed ON log;
CREATE TRIGGER log_identity_fixed BEFORE UPDATE OR DELETE ON log
    FOR EACH ROW EXECUTE FUNCTION refuse_change_of_identity();
COMMENT ON COLUMN log.format IS 'Kinds of events that the log may hold; 2: device.incarnationBegan and incarnationEnded too';

CREATE TABLE read_1.incarnations (
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

-- Rows here are written once: no page keeps room for a later version.
CREATE TABLE read_1.place_pages (
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
) WITH (autovacuum_vacuum_scale_factor = 0.05);

-- Fold 3 keeps each scope of a device apart. It reads no rows of fold 2: what is shown is emptied and filled again from
-- the log, in the background, when a server starts. Reads stay right meanwhile: a user is loaded from the events.
DO $$
DECLARE
    number integer;
    collection text;
BEGIN
    FOR number IN SELECT generation FROM generations WHERE dropped_at IS NULL ORDER BY generation LOOP
        IF number <> 1 THEN
            EXECUTE format('CREATE TABLE read_%s.incarnations (LIKE read_1.incarnations INCLUDING ALL)', number);
            EXECUTE format('CREATE TABLE read_%s.place_pages (LIKE read_1.place_pages INCLUDING ALL)', number);
        END IF;
        EXECUTE format('COMMENT ON TABLE read_%s.incarnations IS %L', number,
            'Internal: incarnations of devices other than the one used last (rule P10); key: device/incarnation');
        EXECUTE format('COMMENT ON TABLE read_%s.place_pages IS %L', number,
            'Internal: where in the stream the events of an incarnation are (rule E1); key: device/incarnation/sequence');
        CONTINUE WHEN NOT EXISTS (SELECT FROM log_partitions p WHERE p.generation = number);
        FOR collection IN
            SELECT c.table_name FROM information_schema.columns c
            JOIN information_schema.tables t USING (table_schema, table_name)
            WHERE c.table_schema = 'read_' || number AND c.column_name = 'user_id' AND t.table_type = 'BASE TABLE'
        LOOP
            EXECUTE format('TRUNCATE read_%s.%I', number, collection);
        END LOOP;
        EXECUTE format('UPDATE read_%s.checkpoints SET log_offset = 0', number);
        UPDATE generations SET fold_version = 3 WHERE generation = number;
    END LOOP;
END
$$;
