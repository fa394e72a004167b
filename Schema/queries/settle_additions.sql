-- Has every program that is started know the migrations up to a number ($1).
WITH settled AS (
    DELETE FROM schema_additions WHERE number <= $1 RETURNING number, name, checksum, applied_at
)
INSERT INTO schema_migrations (number, name, checksum, applied_at)
SELECT number, name, checksum, applied_at FROM settled
