-- Says how far the projection of a partition got. It never goes back.
UPDATE read_1.checkpoints SET log_offset = $2
WHERE partition = $1 AND log_offset < $2
