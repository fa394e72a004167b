-- The migrations that this database has seen and that programs of the last release do without: what they do not know of
-- keeps none of them from being started, until the upgrade is finished.
CREATE TABLE IF NOT EXISTS schema_additions (
    number integer PRIMARY KEY,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)
