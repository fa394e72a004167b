-- Users of a partition ($1), after a user ($2) and up to another ($3), of whom two generations have different rows of a
-- collection. "read_1.apps" stands for its table in one generation, and in the other. Of the columns for people nothing
-- is asked: they follow from the value.
SELECT DISTINCT user_id
FROM (
    SELECT user_id, app, key, key_bytes, version, deleted, value, memo
    FROM read_1.apps target
    WHERE target.partition = $1 AND target.user_id > $2 AND target.user_id <= $3
) AS a
FULL JOIN (
    SELECT user_id, app, key, key_bytes, version, deleted, value, memo
    FROM read_1.apps shown
    WHERE shown.partition = $1 AND shown.user_id > $2 AND shown.user_id <= $3
) AS b USING (user_id, app, key)
WHERE a.version IS DISTINCT FROM b.version OR a.deleted IS DISTINCT FROM b.deleted OR a.value IS DISTINCT FROM b.value
    OR a.memo IS DISTINCT FROM b.memo OR a.key_bytes IS DISTINCT FROM b.key_bytes
