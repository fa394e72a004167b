-- What every column says that SQL users see: the log, and the views of schema read.

COMMENT ON COLUMN log.singleton IS 'Always true: there is one row';
COMMENT ON COLUMN log.log_id IS 'Another id is another history: cursors of devices do not fit it';
COMMENT ON COLUMN log.created_at IS 'When this log was made';
COMMENT ON COLUMN log_partitions.partition IS '0 to P - 1';
COMMENT ON COLUMN events.partition IS 'Where the user lives: give it when you know it';
COMMENT ON COLUMN events.user_id IS 'Whose stream it is';
COMMENT ON COLUMN events.device_id IS 'Which device appended it; the nil UUID is the server';
COMMENT ON COLUMN events.event_id IS 'UUIDv7, chosen by the device';
COMMENT ON COLUMN events.type IS 'See the catalogue of events in Schema/README.md';

COMMENT ON COLUMN read.focuses.focus_id IS 'As the device named it';
COMMENT ON COLUMN read.focuses.name IS 'As the person named it';
COMMENT ON COLUMN read.focuses.symbol IS 'Name of its symbol; NULL: none';
COMMENT ON COLUMN read.focuses.allows_time_sensitive IS 'Whether time-sensitive notifications break through it (rule N9)';
COMMENT ON COLUMN read.active_focus.focus_id IS 'The one that is on';
COMMENT ON COLUMN read.focus_visibility.status IS 'focused, notFocused, unavailable';
COMMENT ON COLUMN read.notifications.subtitle IS 'For a communication its group (rule N5)';
COMMENT ON COLUMN read.notifications.body IS 'As posted';
COMMENT ON COLUMN read.notifications.marketing IS 'Never breaks through a Focus or scheduled delivery (rule N4)';
COMMENT ON COLUMN read.notifications.category IS 'Kind of notification, see read.categories; NULL: none';
COMMENT ON COLUMN read.notifications.thread IS 'What it is grouped with; NULL: nothing';
COMMENT ON COLUMN read.alerts.overrides_silent_switch IS 'Rings although the ring switch is on silent: critical ones';
COMMENT ON COLUMN read.class_alerts.overrides_silent_switch IS 'As in read.alerts';
COMMENT ON COLUMN read.actions.double_tap IS 'Whether it was resolved from a double tap (rule N12)';
COMMENT ON COLUMN read.notification_settings.alerts IS 'Whether anything rings (rule N9.1)';
COMMENT ON COLUMN read.notification_settings.badges IS 'Whether the badge is shown (rule B2)';
COMMENT ON COLUMN read.notification_settings.sounds IS 'Whether alerts sound';
COMMENT ON COLUMN read.workouts.workout_id IS 'As the app named it';
COMMENT ON COLUMN read.workouts.activity IS 'As the app named it: running, cycling, …';
COMMENT ON COLUMN read.workouts.started_at IS 'As the app says';
COMMENT ON COLUMN read.workouts.ended_at IS 'As the app says';
COMMENT ON COLUMN read.routes.route_id IS 'As the app named it';
COMMENT ON COLUMN read.routes.activity IS 'As the app named it: running, cycling, …';
COMMENT ON COLUMN read.routes.workout_id IS 'The workout it belongs to, for good; NULL: not finished';
COMMENT ON COLUMN read.routes.duration_s IS 'From the first to the last accepted point';
COMMENT ON COLUMN read.routes.elevation_gain_m IS 'Metres up; changes below 3 m left out';
COMMENT ON COLUMN read.routes.elevation_loss_m IS 'Metres down; changes below 3 m left out';
COMMENT ON COLUMN read.routes.min_altitude_m IS 'Lowest; NULL: no point has an altitude';
COMMENT ON COLUMN read.routes.max_altitude_m IS 'Highest; NULL: no point has an altitude';
COMMENT ON COLUMN read.routes.average_speed_mps IS 'Distance over duration';
COMMENT ON COLUMN read.routes.moving_average_speed_mps IS
    'Of the segments of at least 0.5 m/s: their distance over their time';
COMMENT ON COLUMN read.routes.max_speed_mps IS 'Of the fastest segment';
COMMENT ON COLUMN read.refusals.refusal_id IS 'device/incarnation/sequence of the event';
COMMENT ON COLUMN read.refusals.event_id IS 'Of the event that was refused';
COMMENT ON COLUMN read.refusals.code IS 'Which rule it broke: see Refusal codes in Schema/README.md';
COMMENT ON COLUMN read.refusals.message IS 'For the people who make the app';
COMMENT ON COLUMN read.refusals.occurred_at IS 'As the device reported it';
COMMENT ON COLUMN read.refusals.app IS 'Of the session that appended it; NULL: a system session';

-- What is the same in every view.
DO $$
DECLARE
    found record;
BEGIN
    FOR found IN
        SELECT c.relname, a.attname, said.text
        FROM pg_class c
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        JOIN (VALUES
            ('user_id', 'Whose it is'),
            ('app', 'The app that it is of'),
            ('notification_id', 'As the app named it'),
            ('version', 'Place in the stream of the user of the event that last changed it'),
            ('partition', 'Where the user lives: give it when you know it')
        ) AS said (attname, text) ON said.attname = a.attname
        WHERE c.relnamespace = 'read'::regnamespace AND c.relkind = 'v' AND col_description(c.oid, a.attnum) IS NULL
    LOOP
        EXECUTE format('COMMENT ON COLUMN read.%I.%I IS %L', found.relname, found.attname, found.text);
    END LOOP;
END
$$;
