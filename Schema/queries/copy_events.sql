-- Events of a chunk of a partition, in order, as a binary stream. COPY takes no parameters: $1, $2 and $3 are replaced by
-- integers, $4 by a condition on a column (copy_events_of_types, copy_events_of_user) or by true.
COPY (
    SELECT
        log_offset, user_id, version, device_id, incarnation, device_seq, event_id, type, app_id, occurred_at,
        recorded_at, schema_version, encoding, payload
    FROM events
    WHERE partition = $1 AND log_offset >= $2 AND log_offset < $3
    ORDER BY log_offset
) TO STDOUT (FORMAT binary)
