-- The checkpoint of a partition passes users whose rows cannot be written for now, because their events do not fold. Who
-- they are stands here, so that a server that starts finds what their rows lack.

CREATE TABLE read_1.laggards (
    partition integer NOT NULL,
    user_id uuid NOT NULL,
    log_offset bigint NOT NULL CHECK (log_offset >= 0),
    PRIMARY KEY (partition, user_id)
);

DO $$
DECLARE
    number integer;
BEGIN
    FOR number IN SELECT generation FROM generations WHERE dropped_at IS NULL ORDER BY generation LOOP
        IF number <> 1 THEN
            EXECUTE format('CREATE TABLE read_%s.laggards (LIKE read_1.laggards INCLUDING ALL)', number);
        END IF;
        EXECUTE format('COMMENT ON TABLE read_%s.laggards IS %L', number,
            'Users whose rows lack events below the checkpoint');
        EXECUTE format('COMMENT ON COLUMN read_%s.laggards.log_offset IS %L', number,
            'First event that the rows of the user lack');
        EXECUTE format('COMMENT ON COLUMN read_%s.checkpoints.log_offset IS %L', number,
            'Events of the partition below it are in the read model, but for those of laggards');
    END LOOP;
END
$$;

CREATE VIEW read.laggards AS
SELECT t.partition, t.user_id, t.log_offset
FROM read_1.laggards t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1;
COMMENT ON VIEW read.laggards IS 'Users whose rows lack events below the checkpoint';
COMMENT ON COLUMN read.laggards.partition IS '0 to P - 1';
COMMENT ON COLUMN read.laggards.user_id IS 'Who';
COMMENT ON COLUMN read.laggards.log_offset IS 'First event that the rows of the user lack';
COMMENT ON COLUMN read.checkpoints.log_offset IS
    'Events below it are in the rows that are shown, but for those of read.laggards';
