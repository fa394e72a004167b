-- Which of its histories PostgreSQL writes: a standby that takes over begins another. The files of its journal are
-- named for it. Empty on a standby, which writes none.
SELECT CASE WHEN pg_is_in_recovery() THEN '' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END
