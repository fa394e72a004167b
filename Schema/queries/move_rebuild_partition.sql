-- Moves the rebuild of a partition ($2) of a generation ($1) from a place ($3 to $5) to another ($6 to $10), or returns
-- no row: it is not at that place.
UPDATE rebuild_partitions
SET phase = $6::text, after_user = $7::uuid, events = $8::bigint, users = $9::bigint, followed = $10::bigint
WHERE generation = $1::integer AND partition = $2::integer AND phase = $3::text
    AND after_user IS NOT DISTINCT FROM $4::uuid AND followed = $5::bigint
RETURNING partition
