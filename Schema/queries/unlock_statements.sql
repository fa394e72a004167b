-- Gives up what lock_statements took. A session that just ends keeps it until the server has noticed.
SELECT pg_advisory_unlock(7381227670382142584)
