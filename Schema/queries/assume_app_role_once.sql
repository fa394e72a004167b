-- What assume_app_role does, for this transaction alone: a pooler in transaction mode gives the session to somebody else
-- after it. $1: synchronous_commit; NULL: as it is set.
SELECT
    set_config('role', app_role()::text, true),
    set_config('enable_seqscan', 'off', true),
    set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true),
    set_config('jit', 'off', true),
    set_config('synchronous_commit', coalesce($1::text, current_setting('synchronous_commit')), true)
