-- The name of the role that focusd acts as in this database.
SELECT app_role()::text
