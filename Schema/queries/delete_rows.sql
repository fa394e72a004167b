-- Takes rows out of the read model for good: tombstones that the fold dropped, chunks that it merged.
-- $1: partition; $2 to $5: collection, user, app and key of each row.
-- The partition is a column of each of them, so that a plan looks each up by its key. With `t.partition = $1` a plan may
-- read all rows of the partition and compare each with each that goes: without statistics of the table both seem to cost
-- the same.
WITH gone AS MATERIALIZED (
    SELECT $1::integer AS partition, g.*
    FROM unnest($2::text[], $3::uuid[], $4::text[], $5::text[]) AS g (collection, user_id, app, key)
), apps_gone AS (
    DELETE FROM read_1.apps t USING gone g
    WHERE g.collection = 'apps' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), authorizations_gone AS (
    DELETE FROM read_1.authorizations t USING gone g
    WHERE g.collection = 'authorizations' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), focuses_gone AS (
    DELETE FROM read_1.focuses t USING gone g
    WHERE g.collection = 'focuses' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), active_focus_gone AS (
    DELETE FROM read_1.active_focus t USING gone g
    WHERE g.collection = 'active_focus' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), focus_visibility_gone AS (
    DELETE FROM read_1.focus_visibility t USING gone g
    WHERE g.collection = 'focus_visibility' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), audience_gone AS (
    DELETE FROM read_1.audience t USING gone g
    WHERE g.collection = 'audience' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), notifications_gone AS (
    DELETE FROM read_1.notifications t USING gone g
    WHERE g.collection = 'notifications' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), alerts_gone AS (
    DELETE FROM read_1.alerts t USING gone g
    WHERE g.collection = 'alerts' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), class_alerts_gone AS (
    DELETE FROM read_1.class_alerts t USING gone g
    WHERE g.collection = 'class_alerts' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), badges_gone AS (
    DELETE FROM read_1.badges t USING gone g
    WHERE g.collection = 'badges' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), categories_gone AS (
    DELETE FROM read_1.categories t USING gone g
    WHERE g.collection = 'categories' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), actions_gone AS (
    DELETE FROM read_1.actions t USING gone g
    WHERE g.collection = 'actions' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), waiting_actions_gone AS (
    DELETE FROM read_1.waiting_actions t USING gone g
    WHERE g.collection = 'waiting_actions' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), suggestions_gone AS (
    DELETE FROM read_1.suggestions t USING gone g
    WHERE g.collection = 'suggestions' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), interactions_gone AS (
    DELETE FROM read_1.interactions t USING gone g
    WHERE g.collection = 'interactions' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), notification_settings_gone AS (
    DELETE FROM read_1.notification_settings t USING gone g
    WHERE g.collection = 'notification_settings' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), delivery_schedule_gone AS (
    DELETE FROM read_1.delivery_schedule t USING gone g
    WHERE g.collection = 'delivery_schedule' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), routes_gone AS (
    DELETE FROM read_1.routes t USING gone g
    WHERE g.collection = 'routes' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), workouts_gone AS (
    DELETE FROM read_1.workouts t USING gone g
    WHERE g.collection = 'workouts' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), route_totals_gone AS (
    DELETE FROM read_1.route_totals t USING gone g
    WHERE g.collection = 'route_totals' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), refusals_gone AS (
    DELETE FROM read_1.refusals t USING gone g
    WHERE g.collection = 'refusals' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), stream_gone AS (
    DELETE FROM read_1.stream t USING gone g
    WHERE g.collection = 'stream' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), app_streams_gone AS (
    DELETE FROM read_1.app_streams t USING gone g
    WHERE g.collection = 'app_streams' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), devices_gone AS (
    DELETE FROM read_1.devices t USING gone g
    WHERE g.collection = 'devices' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), incarnations_gone AS (
    DELETE FROM read_1.incarnations t USING gone g
    WHERE g.collection = 'incarnations' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), device_activity_gone AS (
    DELETE FROM read_1.device_activity t USING gone g
    WHERE g.collection = 'device_activity' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), place_pages_gone AS (
    DELETE FROM read_1.place_pages t USING gone g
    WHERE g.collection = 'place_pages' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), preferences_gone AS (
    DELETE FROM read_1.preferences t USING gone g
    WHERE g.collection = 'preferences' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
), preference_defaults_gone AS (
    DELETE FROM read_1.preference_defaults t USING gone g
    WHERE g.collection = 'preference_defaults' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
)
DELETE FROM read_1.route_points t USING gone g
WHERE g.collection = 'route_points' AND t.partition = g.partition AND t.user_id = g.user_id
        AND t.app = g.app AND t.key = g.key
