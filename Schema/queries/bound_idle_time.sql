-- Bounds how long this transaction may wait for its client: then PostgreSQL ends it, and its locks with it.
SELECT set_config('idle_in_transaction_session_timeout', $1, true)
