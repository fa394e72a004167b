-- Notes the beginning of a rebuild or rollback ($2) to a generation ($1). $3: it verifies.
INSERT INTO rebuilds (generation, kind, verifies) VALUES ($1, $2, $3)
ON CONFLICT (generation) DO UPDATE
SET kind = EXCLUDED.kind, verifies = EXCLUDED.verifies, started_at = now(), finished_at = NULL
