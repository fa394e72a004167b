-- The identity of this log, fixed at its creation.
SELECT log_id, partitions, hash, format FROM log
