-- Records a backup that is made and checked: what made it ($1), for how many microseconds it took ($2), and how many
-- events it holds at least ($3).
INSERT INTO backups (tool, began_at, events)
VALUES ($1, clock_timestamp() - $2::bigint * interval '1 microsecond', $3)
