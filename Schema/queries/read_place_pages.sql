-- The stored pages of a device incarnation that may hold some of its places. $1, $2: partition and user. $3: what the
-- keys of its pages begin with; $4, $5: the keys that pages of the first and of the last place would have. The page
-- that begins at the first place or before it, and those up to the last.
(
    SELECT t.memo
    FROM read_1.place_pages t
    WHERE t.partition = $1 AND t.user_id = $2 AND t.app = '' AND t.key >= $3 AND t.key <= $4
    ORDER BY t.key DESC
    LIMIT 1
)
UNION ALL
SELECT t.memo
FROM read_1.place_pages t
WHERE t.partition = $1 AND t.user_id = $2 AND t.app = '' AND t.key > $4 AND t.key <= $5
