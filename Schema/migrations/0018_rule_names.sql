-- The names of rules are unique in both documents now (Schema/rules): what preferences and apps say of theirs follows.
DO $$
DECLARE
    number integer;
BEGIN
    FOR number IN SELECT generation FROM generations WHERE dropped_at IS NULL
    LOOP
        EXECUTE format(
            'COMMENT ON TABLE %I.preferences IS %L', 'read_' || number,
            'Effective values of preferences; key: the preference (rules D1, D3)');
    END LOOP;
END
$$;
COMMENT ON VIEW read.preferences IS 'Effective values of preferences: set, else registered (rule D1)';
COMMENT ON COLUMN read.preferences.kind IS 'bool, integer, real, string, date, data, array or dictionary (rule D2)';
COMMENT ON COLUMN read.apps.has_usage_description IS 'Rule C1: without one focusStatus counts as not authorized';
