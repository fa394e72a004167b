-- Notes that every partition shows the generation ($1).
UPDATE rebuilds SET finished_at = now() WHERE generation = $1
