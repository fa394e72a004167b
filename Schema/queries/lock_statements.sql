-- Takes the right to apply a migration outside of a transaction, for this session, or returns false: another has it.
-- It does not wait: a statement that waits holds a snapshot, and an index is not finished while older snapshots are
-- held, so the two would wait for each other. The number is "focusidx" in ASCII, and not that of lock_migrations:
-- earlier programs wait for that one.
SELECT pg_try_advisory_lock(7381227670382142584)
