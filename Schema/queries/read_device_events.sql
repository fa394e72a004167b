-- Events of a device incarnation in a range of its sequences, both ends included, past a version of the user's stream,
-- in order. $7: past this version, which bounds what is looked at: the index knows versions, not sequences.
SELECT
    e.partition, e.log_offset, e.user_id, e.version, e.device_id, e.incarnation, e.device_seq, e.event_id,
    e.type::text, e.app_id, e.occurred_at, e.recorded_at, e.schema_version, e.encoding, e.payload
FROM events e
WHERE e.partition = $1 AND e.user_id = $2 AND e.device_id = $3 AND e.incarnation = $4
    AND e.device_seq BETWEEN $5 AND $6 AND e.version > $7
ORDER BY e.version
