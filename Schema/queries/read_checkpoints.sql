-- How far the projections of partitions got, and whom they left behind: a row for each partition and laggard, or one with
-- NULL. One statement, so that both are of one moment: a laggard who is settled and one who is recorded move the other.
SELECT c.partition, c.log_offset, l.user_id, l.log_offset
FROM read_1.checkpoints c
LEFT JOIN LATERAL (SELECT * FROM read_1.laggards l WHERE l.partition = c.partition OFFSET 0) l ON true
WHERE c.partition = ANY ($1::integer[])
