-- How many users of a partition ($1) a generation shows.
SELECT count(*) FROM read_1.users WHERE partition = $1
