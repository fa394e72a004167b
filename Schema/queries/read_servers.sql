-- The servers that are connected to this database: each listens on one connection. Through a pooler none is seen.
SELECT application_name, coalesce(host(client_addr), ''), backend_start
FROM pg_stat_activity
WHERE datname = current_database() AND application_name LIKE 'focusd-hints%' AND query LIKE 'LISTEN %'
ORDER BY application_name, backend_start, pid
