-- Builds of the read model beside the first (architecture.md §2): made as generation 1 is, filled by
-- `focusctl projections rebuild`, shown partition by partition, dropped when nobody needs them any more.
-- read_1 is also the pattern that others are cloned from: its schema stays when its rows go. A later migration that
-- changes tables changes read_1 and every schema in `SELECT generation FROM generations WHERE dropped_at IS NULL`.

ALTER TYPE event_type ADD VALUE IF NOT EXISTS 'projection.rebuilt';

ALTER TABLE generations ADD COLUMN dropped_at timestamptz;
COMMENT ON COLUMN generations.generation IS 'Number, never used twice: its tables are in schema read_<generation>';
COMMENT ON COLUMN generations.created_at IS 'When its tables were made';
COMMENT ON COLUMN generations.dropped_at IS 'When its rows were given up; NULL: they are there';

CREATE TABLE rebuilds (
    generation integer PRIMARY KEY REFERENCES generations,
    kind text NOT NULL CHECK (kind IN ('rebuild', 'rollback')),
    verifies boolean NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz
);
COMMENT ON TABLE rebuilds IS 'How each generation came to be shown, or is about to';
COMMENT ON COLUMN rebuilds.generation IS 'The one that is filled and then shown';
COMMENT ON COLUMN rebuilds.kind IS 'rebuild: filled from the log; rollback: an older one that is shown again';
COMMENT ON COLUMN rebuilds.verifies IS 'Every user is folded once more and compared before it is shown';
COMMENT ON COLUMN rebuilds.started_at IS 'When it began';
COMMENT ON COLUMN rebuilds.finished_at IS 'When every partition showed it; NULL: not yet';

CREATE TABLE rebuild_partitions (
    generation integer NOT NULL REFERENCES rebuilds ON DELETE CASCADE,
    partition integer NOT NULL,
    phase text NOT NULL CHECK (phase IN ('filling', 'verifying', 'comparing', 'following', 'done')),
    through bigint NOT NULL,
    after_user uuid,
    events bigint NOT NULL DEFAULT 0,
    users bigint NOT NULL DEFAULT 0,
    followed bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (partition, generation)
) WITH (fillfactor = 10);
COMMENT ON TABLE rebuild_partitions IS 'How far a rebuild got: written with the rows themselves, so it goes on after a crash';
COMMENT ON COLUMN rebuild_partitions.generation IS 'Of the rebuild';
COMMENT ON COLUMN rebuild_partitions.partition IS '0 to P - 1';
COMMENT ON COLUMN rebuild_partitions.phase IS 'filling, verifying, comparing with what was shown, following the log, done: shown';
COMMENT ON COLUMN rebuild_partitions.through IS 'Events below this offset are filled in; what comes later is followed';
COMMENT ON COLUMN rebuild_partitions.after_user IS 'The phase is done with users up to this one';
COMMENT ON COLUMN rebuild_partitions.events IS 'Folded so far';
COMMENT ON COLUMN rebuild_partitions.users IS 'The phase is done with so many users';
COMMENT ON COLUMN rebuild_partitions.followed IS 'Users with events at or past this offset are compared once more';

CREATE TABLE rebuild_differences (
    generation integer NOT NULL REFERENCES rebuilds ON DELETE CASCADE,
    partition integer NOT NULL,
    user_id uuid NOT NULL,
    PRIMARY KEY (partition, generation, user_id)
);
COMMENT ON TABLE rebuild_differences IS 'Users whose rows come out different: they get projection.rebuilt (rule S8)';
COMMENT ON COLUMN rebuild_differences.generation IS 'Of the rebuild';
COMMENT ON COLUMN rebuild_differences.partition IS 'Of the user';
COMMENT ON COLUMN rebuild_differences.user_id IS 'Whose rows';

-- The analysts' views over every generation that has rows: each branch joins the partitions that show it, so a row is
-- seen once, and a partition changes over with one row of log_partitions. Without partitions a branch costs nothing.
-- Written as the branch of generation 1; the others are made from it.
CREATE FUNCTION show_generations() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    shown record;
    pattern text;
    definition text;
    number integer;
    others integer[];
BEGIN
    SELECT coalesce(array_agg(generation ORDER BY generation), '{}') INTO others
    FROM generations WHERE generation <> 1 AND dropped_at IS NULL;
    FOR shown IN
        SELECT c.relname, pg_get_viewdef(c.oid) AS definition FROM pg_class c
        WHERE c.relnamespace = 'read'::regnamespace AND c.relkind = 'v' ORDER BY c.relname
    LOOP
        pattern := rtrim(split_part(shown.definition, 'UNION ALL', 1), E' \n;');
        CONTINUE WHEN strpos(pattern, 'read_1.') = 0 OR strpos(pattern, 'p.generation = 1') = 0;
        definition := pattern;
        FOREACH number IN ARRAY others LOOP
            definition := definition || E'\nUNION ALL\n' || replace(
                replace(pattern, 'read_1.', 'read_' || number || '.'),
                'p.generation = 1', 'p.generation = ' || number);
        END LOOP;
        -- Replacing a view locks readers out for a moment: only if it says something else.
        CONTINUE WHEN regexp_replace(definition, '\s', '', 'g')
            = regexp_replace(rtrim(shown.definition, E' \n;'), '\s', '', 'g');
        EXECUTE format('CREATE OR REPLACE VIEW read.%I AS %s', shown.relname, definition);
    END LOOP;
END
$$;
COMMENT ON FUNCTION show_generations() IS 'Makes the views of schema read show every generation that has rows';

CREATE FUNCTION grant_generations() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    role name := app_role();
    number integer;
BEGIN
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON rebuilds, rebuild_partitions, rebuild_differences TO %I', role);
    EXECUTE format('GRANT SELECT ON generations TO %I', role);
    FOR number IN SELECT generation FROM generations WHERE dropped_at IS NULL LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', 'read_' || number, role);
        EXECUTE format(
            'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO %I', 'read_' || number, role);
    END LOOP;
    PERFORM show_generations();
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA read TO %I', role);
END
$$;
COMMENT ON FUNCTION grant_generations() IS 'Grants app_role() what it needs of every generation; run after each migration';

CREATE FUNCTION create_generation(number integer, fold integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    target text := 'read_' || number;
    source record;
BEGIN
    EXECUTE format('CREATE SCHEMA %I', target);
    EXECUTE format('COMMENT ON SCHEMA %I IS %L', target, 'Generation ' || number || ' of the read model');
    FOR source IN
        SELECT c.relname, c.reloptions FROM pg_class c
        WHERE c.relnamespace = 'read_1'::regnamespace AND c.relkind = 'r' ORDER BY c.relname
    LOOP
        EXECUTE format('CREATE TABLE %I.%I (LIKE read_1.%I INCLUDING ALL)', target, source.relname, source.relname);
        -- LIKE leaves them out.
        IF source.reloptions IS NOT NULL THEN
            EXECUTE format(
                'ALTER TABLE %I.%I SET (%s)', target, source.relname, array_to_string(source.reloptions, ', '));
        END IF;
    END LOOP;
    EXECUTE format('INSERT INTO %I.checkpoints (partition) SELECT partition FROM log_partitions', target);
    INSERT INTO generations (generation, fold_version) VALUES (number, fold);
    PERFORM grant_generations();
END
$$;
COMMENT ON FUNCTION create_generation(integer, integer) IS 'Makes the empty tables of another build of the read model';

CREATE FUNCTION drop_generation(number integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    shown record;
BEGIN
    IF EXISTS (SELECT FROM log_partitions WHERE generation = number) THEN
        RAISE EXCEPTION 'generation % is shown and cannot be dropped', number;
    END IF;
    DELETE FROM rebuilds WHERE generation = number;
    UPDATE generations SET dropped_at = now() WHERE generation = number;
    PERFORM show_generations();
    IF number <> 1 THEN
        EXECUTE format('DROP SCHEMA %I CASCADE', 'read_' || number);
        RETURN;
    END IF;
    FOR shown IN
        SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'read_1'::regnamespace AND c.relkind = 'r'
            AND c.relname <> 'checkpoints'
    LOOP
        EXECUTE format('TRUNCATE read_1.%I', shown.relname);
    END LOOP;
    UPDATE read_1.checkpoints SET log_offset = 0;
END
$$;
COMMENT ON FUNCTION drop_generation(integer) IS 'Gives up the rows of a generation that no partition shows';
