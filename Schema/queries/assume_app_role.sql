-- From now on this session may append and read, and no longer change what is logged. Also: every statement of focusd
-- reaches its rows by key. Plans made while the tables were empty would read them from end to end, and live as long as
-- the connection; so those ways are closed. The rest is up to the statements: OFFSET 0, and ORDER BY log_offset.
SELECT
    set_config('role', app_role()::text, false),
    set_config('enable_seqscan', 'off', false),
    set_config('enable_hashjoin', 'off', false),
    set_config('enable_mergejoin', 'off', false),
    set_config('jit', 'off', false)
