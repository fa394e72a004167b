-- Keeps a second migrator waiting until this transaction ends. The number is "focusmig" in ASCII.
SELECT pg_advisory_xact_lock(7381243762834303335)
