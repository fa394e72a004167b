-- Bytes on disk of the log's events with their indexes and of the whole database, and when PostgreSQL started.
SELECT pg_total_relation_size('events'::regclass), pg_database_size(current_database()), pg_postmaster_start_time()
