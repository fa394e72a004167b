-- Records which fold fills generation 1 of the read model and where it stands. Does nothing when that is known.
-- $1: fold version.
WITH created AS (
    INSERT INTO generations (generation, fold_version) VALUES (1, $1)
    ON CONFLICT DO NOTHING
)
INSERT INTO read_1.checkpoints (partition)
SELECT partition FROM log_partitions
ON CONFLICT DO NOTHING
