-- Fold 6 makes other rows of alerts and remembers more of authorizations. What has no rows yet is made by it; anything
-- else waits for a rebuild, which tells devices what changes.
DO $$
DECLARE
    number integer;
    has_rows boolean;
BEGIN
    FOR number IN SELECT generation FROM generations WHERE dropped_at IS NULL ORDER BY generation LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM read_%s.checkpoints WHERE log_offset > 0)', number) INTO has_rows;
        UPDATE generations SET fold_version = 6 WHERE generation = number AND fold_version = 5 AND NOT has_rows;
    END LOOP;
END
$$;
