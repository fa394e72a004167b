-- What analysts asked generation 1 itself for: after a rebuild its tables are empty.

CREATE OR REPLACE VIEW read.users AS
SELECT t.user_id, t.version, t.partition, t.due_at
FROM read_1.users t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1;
COMMENT ON COLUMN read.users.due_at IS 'When something of the user falls due next (rules T1, T3); NULL: nothing';

CREATE VIEW read.checkpoints AS
SELECT t.partition, t.log_offset
FROM read_1.checkpoints t
JOIN log_partitions p ON p.partition = t.partition AND p.generation = 1;
COMMENT ON VIEW read.checkpoints IS 'How far the read model follows the log';
COMMENT ON COLUMN read.checkpoints.partition IS '0 to P - 1';
COMMENT ON COLUMN read.checkpoints.log_offset IS 'Events below it are in the rows that are shown';
