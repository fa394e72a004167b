-- Events of a partition as a binary stream into the log. Their partition is locked, and its head is moved by move_head
-- in the same transaction.
COPY events (
    partition, log_offset, user_id, version, device_id, incarnation, device_seq, event_id, type, app_id, occurred_at,
    recorded_at, schema_version, encoding, payload
) FROM STDIN (FORMAT binary)
