-- The settings that are off and without which a committed event may be lost.
SELECT name
FROM pg_settings
WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'
ORDER BY name
