-- When something falls due for a user, so that a server finds it without the user in memory (rules T1, T3).

ALTER TABLE read_1.users ADD COLUMN due_at timestamptz;
COMMENT ON COLUMN read_1.users.due_at IS
    'Next moment at which the server may have an event to append (rules T1, T3); NULL: none before the next event';

-- Small: few users have anything due. A projection that leaves due_at as it was stays heap-only.
CREATE INDEX users_due ON read_1.users (partition, due_at, user_id) WHERE due_at IS NOT NULL;

-- Users who were projected before there was a due_at: whoever may have something due is looked at once, and the look
-- puts the right time in place.
UPDATE read_1.users u SET due_at = '1970-01-01T00:00:00Z'
WHERE EXISTS (
    SELECT FROM read_1.active_focus f
    WHERE f.partition = u.partition AND f.user_id = u.user_id AND NOT f.deleted AND f.ends_at IS NOT NULL
) OR EXISTS (
    SELECT FROM read_1.delivery_schedule s
    WHERE s.partition = u.partition AND s.user_id = u.user_id AND NOT s.deleted
);
