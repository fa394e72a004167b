-- Whether migrations ever ran here, and how text is stored.
SELECT to_regclass('schema_migrations') IS NOT NULL, current_setting('server_encoding')
