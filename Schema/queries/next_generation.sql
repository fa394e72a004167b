-- The number of a new generation: none is used twice.
SELECT coalesce(max(generation), 0) + 1 FROM generations
