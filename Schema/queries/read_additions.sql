-- The migrations that this database has seen and that programs of the last release do without, in order.
SELECT number, name, checksum FROM schema_additions ORDER BY number
