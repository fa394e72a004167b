-- Which viewers may be in the audience of users (rule F5), without loading them. $1, $2: partition and id of each user;
-- $3: a viewer of each; $4: an app, or the empty text for any. The head of the partition as of the same moment; index of
-- the entry, from 0 on; true: the read model has the viewer, or lacks events of the user, who is to be asked then.
SELECT
    p.partition, p.next_offset, p.last_recorded_at, p.generation, p.last_event_id, w.place - 1 AS index,
    EXISTS (
        SELECT FROM read_1.audience a
        WHERE a.partition = w.partition AND a.user_id = w.user_id AND (w.app = '' OR a.app = w.app)
            AND a.member = w.viewer AND NOT a.deleted
    ) OR EXISTS (
        SELECT FROM events e
        WHERE e.partition = w.partition AND e.user_id = w.user_id AND e.version > coalesce(
            (SELECT u.version FROM read_1.users u WHERE u.partition = w.partition AND u.user_id = w.user_id), 0)
    ) AS may_be
FROM unnest($1::integer[], $2::uuid[], $3::uuid[], $4::text[]) WITH ORDINALITY
    AS w (partition, user_id, viewer, app, place)
JOIN log_partitions p ON p.partition = w.partition
