-- A server has to know how large users are before it loads them, or else hundreds of large ones would be in one result.

ALTER TABLE read_1.users ADD COLUMN state_bytes bigint CHECK (state_bytes >= 0);
COMMENT ON COLUMN read_1.users.state_bytes IS
    'About how many bytes the user takes in the memory of a server; NULL: not known';

DO $$
DECLARE
    number integer;
BEGIN
    FOR number IN
        SELECT generation FROM generations WHERE dropped_at IS NULL AND generation <> 1 ORDER BY generation
    LOOP
        EXECUTE format('ALTER TABLE read_%s.users ADD COLUMN state_bytes bigint CHECK (state_bytes >= 0)', number);
        EXECUTE format('COMMENT ON COLUMN read_%s.users.state_bytes IS %L', number,
            'About how many bytes the user takes in the memory of a server; NULL: not known');
    END LOOP;
END
$$;

CREATE OR REPLACE VIEW read.users AS
SELECT t.user_id, t.version, t.partition, t.due_at, t.state_bytes
FROM read_1.users t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1;
COMMENT ON COLUMN read.users.state_bytes IS
    'About how many bytes the user takes in the memory of a server (rule Q4); NULL: not known';
