-- What stands in the log at ranges of offsets: enough of each event to know it again.
SELECT e.partition, e.log_offset, e.user_id, e.version, e.event_id, e.type::text, e.recorded_at
FROM unnest($1::integer[], $2::bigint[], $3::bigint[]) AS r (partition, first_offset, next_offset)
CROSS JOIN LATERAL (
    SELECT * FROM events
    WHERE events.partition = r.partition AND log_offset >= r.first_offset AND log_offset < r.next_offset
    ORDER BY log_offset
    OFFSET 0
) AS e
