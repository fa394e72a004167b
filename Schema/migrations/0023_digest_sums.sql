-- A session with a current cursor gets its checkpoint (rule S9) without its user being loaded, where the sums that the
-- digests are made of stand beside the rows.

ALTER TABLE read_1.users ADD COLUMN digests bytea CHECK (octet_length(digests) <= 8192);
ALTER TABLE read_1.users ADD COLUMN digests_version bigint;

DO $$
DECLARE
    number integer;
BEGIN
    FOR number IN SELECT generation FROM generations WHERE dropped_at IS NULL ORDER BY generation LOOP
        IF number <> 1 THEN
            EXECUTE format(
                'ALTER TABLE read_%s.users ADD COLUMN digests bytea CHECK (octet_length(digests) <= 8192)', number);
            EXECUTE format('ALTER TABLE read_%s.users ADD COLUMN digests_version bigint', number);
        END IF;
        EXECUTE format('COMMENT ON COLUMN read_%s.users.digests IS %L', number,
            'Digest sums of the rows of the user at digests_version (rule S9); NULL: not known');
        EXECUTE format('COMMENT ON COLUMN read_%s.users.digests_version IS %L', number,
            'The version of the user that digests is of; of another version than the user''s: digests says nothing');
    END LOOP;
END
$$;
