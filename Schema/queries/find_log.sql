-- Whether the log has its identity: from then on there are servers of it.
SELECT EXISTS (SELECT FROM log)
