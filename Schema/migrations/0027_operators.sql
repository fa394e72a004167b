-- What people who operate a log need: a role that reads and cannot write, and a record of whose data they looked at.

CREATE TABLE operator_actions (
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    os_user text NOT NULL CHECK (octet_length(os_user) BETWEEN 1 AND 256),
    database_role name NOT NULL DEFAULT session_user,
    command text NOT NULL CHECK (octet_length(command) BETWEEN 1 AND 64),
    user_id uuid
) PARTITION BY RANGE (at);
CREATE INDEX operator_actions_by_user ON operator_actions (user_id, at);
COMMENT ON TABLE operator_actions IS 'Who looked at a person''s data by a command; a partition a month, for 24 months';
COMMENT ON COLUMN operator_actions.at IS 'When';
COMMENT ON COLUMN operator_actions.os_user IS 'User of the operating system, as the command says it';
COMMENT ON COLUMN operator_actions.database_role IS 'Role that the command connected as';
COMMENT ON COLUMN operator_actions.command IS 'The command, without what was asked and answered';
COMMENT ON COLUMN operator_actions.user_id IS 'Whose data; NULL: everybody''s';

CREATE TRIGGER operator_actions_append_only BEFORE UPDATE OR DELETE ON operator_actions
    FOR EACH ROW EXECUTE FUNCTION refuse_change_of_log();

-- Whoever may read may record that they read, and nothing else, so it runs with the owner's rights. The commit does not
-- wait for a standby: a record must not hold up a reading.
CREATE FUNCTION record_operator_action(os_user text, command text, users uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '1s' SET timezone = 'UTC' AS $$
DECLARE
    month date := date_trunc('month', clock_timestamp())::date;
    part text := 'operator_actions_' || to_char(month, 'YYYY_MM');
    old regclass;
BEGIN
    PERFORM set_config('synchronous_commit', 'local', true);
    IF to_regclass(part) IS NULL THEN
        PERFORM pg_advisory_xact_lock(hashtext('operator_actions'));
        EXECUTE format(
            'CREATE TABLE IF NOT EXISTS %I PARTITION OF operator_actions FOR VALUES FROM (%L) TO (%L)',
            part, month::timestamptz, (month + interval '1 month')::timestamptz);
        FOR old IN
            SELECT c.oid::regclass FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = 'operator_actions'::regclass
                AND c.relname < 'operator_actions_' || to_char(month - interval '24 months', 'YYYY_MM')
        LOOP
            EXECUTE format('DROP TABLE %s', old);
        END LOOP;
    END IF;
    INSERT INTO operator_actions (os_user, command, user_id)
    SELECT record_operator_action.os_user, record_operator_action.command, u
    FROM unnest(coalesce(users, ARRAY[NULL::uuid])) u;
END
$$;
REVOKE ALL ON FUNCTION record_operator_action(text, text, uuid[]) FROM PUBLIC;
COMMENT ON FUNCTION record_operator_action(text, text, uuid[]) IS 'Records whose data a command shows; NULL: everybody''s';

CREATE FUNCTION reader_role() RETURNS name LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
    SELECT ('focusd_read_' || CASE
        WHEN octet_length(current_database()) <= 48 THEN current_database()
        ELSE md5(current_database())
    END)::name
$$;
COMMENT ON FUNCTION reader_role() IS 'Role that reads the log and the read model, and may change nothing';

-- A role that may not be made, because the owner may make none, is left out: only people need it.
CREATE FUNCTION ensure_reader_role() RETURNS name LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
    role name := reader_role();
    number integer;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
        BEGIN
            EXECUTE format('CREATE ROLE %I NOLOGIN', role);
            EXECUTE format('GRANT %I TO %I', role, current_user);
            -- Against mistakes; what protects the log is that the role has no right to write.
            EXECUTE format('ALTER ROLE %I SET default_transaction_read_only = on', role);
            -- A statement that never ends would keep the log's counter rows from being vacuumed.
            EXECUTE format('ALTER ROLE %I SET statement_timeout = %L', role, '15min');
            EXECUTE format('ALTER ROLE %I SET idle_in_transaction_session_timeout = %L', role, '1min');
            EXECUTE format('ALTER ROLE %I SET search_path = read, public', role);
        EXCEPTION WHEN insufficient_privilege THEN
            RETURN NULL;
        END;
    END IF;
    EXECUTE format('GRANT USAGE ON SCHEMA public, read TO %I', role);
    EXECUTE format('GRANT SELECT ON log, log_partitions, events, generations, backups TO %I', role);
    EXECUTE format('GRANT SELECT ON rebuilds, rebuild_partitions, rebuild_differences TO %I', role);
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA read TO %I', role);
    EXECUTE format('GRANT EXECUTE ON FUNCTION record_operator_action(text, text, uuid[]) TO %I', role);
    FOR number IN SELECT generation FROM generations WHERE dropped_at IS NULL LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', 'read_' || number, role);
        EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO %I', 'read_' || number, role);
    END LOOP;
    RETURN role;
END
$$;
COMMENT ON FUNCTION ensure_reader_role() IS 'Makes the role of reader_role(), if it may, and grants it what it reads';

CREATE FUNCTION let_reader_log_in() RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = reader_role() AND NOT rolcanlogin) THEN
        EXECUTE format('ALTER ROLE %I LOGIN', reader_role());
    END IF;
END
$$;
COMMENT ON FUNCTION let_reader_log_in() IS 'For a server that is reached over a private socket alone';

CREATE OR REPLACE FUNCTION grant_generations() RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
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
    PERFORM ensure_reader_role();
END
$$;

-- Since PostgreSQL 15 nobody but the owner makes anything in schema public; before, anybody did.
DO $$
BEGIN
    IF current_setting('server_version_num')::integer < 150000 THEN
        REVOKE CREATE ON SCHEMA public FROM PUBLIC;
    END IF;
END
$$;
