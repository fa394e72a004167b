-- A durable commit of next to nothing, as small as an append can be: how long it takes is what appends wait for, and
-- what stands before it in PostgreSQL's journal is as safe as it is.
SELECT pg_logical_emit_message(true, 'focus-sync', '')::text
