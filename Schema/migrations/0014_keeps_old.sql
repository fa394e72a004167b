-- Whether a rebuild keeps what was shown before it is said once, at its beginning: whoever resumes it need not know.

ALTER TABLE rebuilds ADD COLUMN keeps_old boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN rebuilds.keeps_old IS 'The generations shown before it are kept when it ends, for a rollback';
