-- Rows of a collection as a binary stream into a table that has none of them. "apps (partition)" stands for the table
-- and its columns as upsert_<collection> names them.
COPY read_1.apps (partition) FROM STDIN (FORMAT binary)
