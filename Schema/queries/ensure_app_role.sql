-- Makes the role that focusd acts as, and grants it what the newest migration says.
SELECT ensure_app_role()::text
