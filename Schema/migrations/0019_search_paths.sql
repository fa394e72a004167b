-- A function that names tables without their schema finds whatever the caller's search_path leads to first, and acts on
-- it with the caller's rights, which are the owner's in a migration or a rebuild. Each says itself where it looks.
DO $$
DECLARE
    found regprocedure;
BEGIN
    FOR found IN
        SELECT p.oid::regprocedure FROM pg_proc p
        WHERE p.pronamespace = 'public'::regnamespace
            AND p.proname IN (
                'app_role', 'create_generation', 'drop_generation', 'ensure_app_role', 'grant_generations',
                'note_last_event', 'refuse_change_of_identity', 'refuse_change_of_log', 'show_generations')
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = public, pg_temp', found);
    END LOOP;
END
$$;
