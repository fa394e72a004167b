-- What devices bring back to a log that lost its tail (rule S6).

ALTER TYPE event_type ADD VALUE 'device.eventsLost';

COMMENT ON COLUMN events.encoding IS
    '0: payload as the device sent it; 1: the same, brought back by its device after the log had lost it (rule S6)';
