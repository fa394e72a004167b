-- Makes the empty tables of a generation ($1) that a fold ($2) is to fill. Only the owner of the tables may.
SELECT create_generation($1::integer, $2::integer)::text
