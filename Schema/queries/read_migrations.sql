-- The migrations that this database has seen, in order.
SELECT number, name, checksum FROM schema_migrations ORDER BY number
