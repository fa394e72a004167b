-- Whether migrations ever ran here, whether some of them are additions, and how text is stored. The catalogue is read,
-- not asked by to_regclass: a session that asked before another one made the table, and then waited for it in a
-- transaction, would be told what it knew.
SELECT
    EXISTS (SELECT FROM pg_class WHERE relname = 'schema_migrations' AND pg_table_is_visible(oid)),
    EXISTS (SELECT FROM pg_class WHERE relname = 'schema_additions' AND pg_table_is_visible(oid)),
    current_setting('server_encoding')
