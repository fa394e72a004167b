-- Notes the beginning of a rebuild or rollback ($2) to a generation ($1). $3: it verifies. $4: it keeps what was shown.
INSERT INTO rebuilds (generation, kind, verifies, keeps_old) VALUES ($1, $2, $3, $4)
ON CONFLICT (generation) DO UPDATE
SET kind = EXCLUDED.kind, verifies = EXCLUDED.verifies, keeps_old = EXCLUDED.keeps_old, started_at = now(),
    finished_at = NULL
