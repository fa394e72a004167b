-- Events of a chunk of a partition, in order, as a binary stream. COPY takes no parameters: $1, $2 and $3 (partition,
-- first offset, offset after the last) are replaced by integers before it is sent.
COPY (
    SELECT
        log_offset, user_id, version, device_id, incarnation, device_seq, event_id, type, app_id, occurred_at,
        recorded_at, schema_version, encoding, payload
    FROM events
    WHERE partition = $1 AND log_offset >= $2 AND log_offset < $3
    ORDER BY log_offset
) TO STDOUT (FORMAT binary)
