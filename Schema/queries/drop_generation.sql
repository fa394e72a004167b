-- Gives up a generation ($1) that no partition shows. Only the owner of the tables may.
SELECT drop_generation($1::integer)::text
