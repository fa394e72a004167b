-- Remembers that a migration was applied that programs of the last release do without.
INSERT INTO schema_additions (number, name, checksum) VALUES ($1, $2, $3)
