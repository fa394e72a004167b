-- Which of its histories PostgreSQL writes, and since when. A standby that takes over begins another one, and the files
-- of its journal are named for it. An older copy of the server's files may go on under the same name: then PostgreSQL was
-- started anew. Empty on a standby, which writes none.
SELECT CASE
    WHEN pg_is_in_recovery() THEN ''
    ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/' || extract(epoch FROM pg_postmaster_start_time())
END
