-- Bounds how long statements of this transaction wait for a lock.
SELECT set_config('lock_timeout', $1, true)
