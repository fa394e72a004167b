-- Fold 7 makes other rows of alerts, and other memories of what was removed. What has no rows yet is made by it; anything
-- else waits for a rebuild, which tells devices what changes. A generation that is being filled has rows before its
-- first partition has a checkpoint.
DO $$
DECLARE
    number integer;
    has_rows boolean;
BEGIN
    FOR number IN SELECT generation FROM generations WHERE dropped_at IS NULL ORDER BY generation LOOP
        EXECUTE format(
            'SELECT EXISTS (SELECT FROM read_%1$s.checkpoints WHERE log_offset > 0) OR EXISTS (SELECT FROM read_%1$s.users)',
            number) INTO has_rows;
        UPDATE generations SET fold_version = 7
        WHERE generation = number AND fold_version = 6 AND NOT has_rows
            AND NOT EXISTS (SELECT FROM rebuilds WHERE rebuilds.generation = number AND finished_at IS NULL);
    END LOOP;
END
$$;
