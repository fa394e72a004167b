-- Two histories of a partition may have the same length: after a standby took over that lacked the end, others fill it
-- again. A writer therefore compares which event is the last one, beside the offset behind it.

ALTER TABLE log_partitions
    ADD COLUMN last_event_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';
COMMENT ON COLUMN log_partitions.last_event_id IS 'Event before next_offset; the nil UUID: there was none yet';

UPDATE log_partitions p SET last_event_id = e.event_id
FROM events e
WHERE e.partition = p.partition AND e.log_offset = p.next_offset - 1;

-- A server of an earlier program may still run and append: it moves next_offset alone. Deferred, as such a program may
-- write the events after the head. A program that knows the column never gets past the condition.
CREATE FUNCTION note_last_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE log_partitions p SET last_event_id = e.event_id
    FROM events e
    WHERE p.partition = NEW.partition AND p.next_offset = NEW.next_offset
        AND e.partition = NEW.partition AND e.log_offset = NEW.next_offset - 1;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION note_last_event() IS 'Keeps last_event_id right where an earlier program appends';
CREATE CONSTRAINT TRIGGER log_partitions_last_event AFTER UPDATE ON log_partitions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.next_offset <> OLD.next_offset AND NEW.last_event_id = OLD.last_event_id)
    EXECUTE FUNCTION note_last_event();
