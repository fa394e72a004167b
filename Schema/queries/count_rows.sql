-- How many rows a table of the read model has, counted one by one. "apps" stands for the table.
SELECT count(*) FROM read_1.apps
