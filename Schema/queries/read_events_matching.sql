-- Events within a chunk of a partition that are of some types, apps and devices, in order. A NULL array: of all.
-- $7: at most so many. $8: so many bytes of payload, which the last one may pass.
SELECT
    e.partition, e.log_offset, e.user_id, e.version, e.device_id, e.incarnation, e.device_seq, e.event_id,
    e.type::text, e.app_id, e.occurred_at, e.recorded_at, e.schema_version, e.encoding, e.payload
FROM (
    SELECT
        t.*,
        sum(octet_length(t.payload)) OVER (ORDER BY t.log_offset ROWS UNBOUNDED PRECEDING)
            - octet_length(t.payload) AS before
    FROM events t
    WHERE t.partition = $1 AND t.log_offset >= $2 AND t.log_offset < $3
        AND ($4::text[] IS NULL OR t.type = ANY ($4::text[]::event_type[]))
        AND ($5::text[] IS NULL OR t.app_id = ANY ($5::text[]))
        AND ($6::uuid[] IS NULL OR t.device_id = ANY ($6::uuid[]))
    ORDER BY t.log_offset
    LIMIT $7
) e
WHERE e.before < $8::bigint
ORDER BY e.log_offset
