-- Records a backup that is made and checked: what made it ($1), for how many microseconds it took ($2), and how many
-- events it holds at least ($3).
WITH moment AS MATERIALIZED (SELECT clock_timestamp() AS now)
INSERT INTO backups (tool, began_at, finished_at, events)
SELECT $1::text, now - $2::bigint * interval '1 microsecond', now, $3::bigint
FROM moment
