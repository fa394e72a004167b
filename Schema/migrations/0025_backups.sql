-- Whoever watches a log wants to know when it was last backed up. Whoever backs it up says so here, when the backup is
-- checked. A backup does not hold its own row.

CREATE TABLE backups (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tool text NOT NULL CHECK (octet_length(tool) BETWEEN 1 AND 64),
    began_at timestamptz NOT NULL,
    finished_at timestamptz NOT NULL DEFAULT clock_timestamp() CHECK (finished_at >= began_at),
    events bigint CHECK (events >= 0)
);
COMMENT ON TABLE backups IS 'Backups of the whole log that were made and checked';
COMMENT ON COLUMN backups.id IS 'Counts them';
COMMENT ON COLUMN backups.tool IS 'What made it: focusctl backup, or the name of another tool';
COMMENT ON COLUMN backups.began_at IS 'When it was begun; what was appended before is in it';
COMMENT ON COLUMN backups.finished_at IS 'When it was checked';
COMMENT ON COLUMN backups.events IS 'How many events of the log it holds at least; NULL: not known';

-- A view of schema read, so that the server's role may read it.
CREATE VIEW read.backups AS
SELECT b.id AS backup_id, b.tool, b.began_at, b.finished_at, b.events
FROM backups b;
COMMENT ON VIEW read.backups IS 'Backups of the whole log that were made and checked';
COMMENT ON COLUMN read.backups.backup_id IS 'Counts them';
COMMENT ON COLUMN read.backups.tool IS 'What made it: focusctl backup, or the name of another tool';
COMMENT ON COLUMN read.backups.began_at IS 'When it was begun; what was appended before is in it';
COMMENT ON COLUMN read.backups.finished_at IS 'When it was checked';
COMMENT ON COLUMN read.backups.events IS 'How many events of the log it holds at least; NULL: not known';
