-- Fold 2 (routes keep sums of their chunks and add up to totals) reads no rows of fold 1: the read model is emptied and
-- filled again from the log, in the background, when a server starts. Reads stay right meanwhile: a user is loaded from
-- the events. Devices that hold rows of fold 1 learn from their next checkpoint that they differ, and ask again.
DO $$
DECLARE
    collection text;
BEGIN
    FOR collection IN
        SELECT table_name FROM information_schema.columns WHERE table_schema = 'read_1' AND column_name = 'user_id'
            AND table_name IN (SELECT table_name FROM information_schema.tables
                WHERE table_schema = 'read_1' AND table_type = 'BASE TABLE')
    LOOP
        EXECUTE format('TRUNCATE read_1.%I', collection);
    END LOOP;
END
$$;
UPDATE read_1.checkpoints SET log_offset = 0;
UPDATE generations SET fold_version = 2 WHERE generation = 1;
