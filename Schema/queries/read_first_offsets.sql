-- Partitions whose log does not begin with its first event any more, and where it begins.
SELECT partition, first_offset FROM log_partitions WHERE first_offset > 0 ORDER BY partition
