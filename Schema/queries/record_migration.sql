-- Remembers that a migration was applied.
INSERT INTO schema_migrations (number, name, checksum) VALUES ($1, $2, $3)
