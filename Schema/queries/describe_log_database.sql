-- What a person wants to know of the database that the log is in. The reading role is NULL where there is none.
SELECT current_database()::text, current_user::text, app_role()::text, r.rolname::text, coalesce(r.rolcanlogin, false),
    current_setting('server_version'), pg_database_size(current_database()),
    coalesce(host(inet_server_addr()), current_setting('unix_socket_directories')),
    coalesce(inet_server_port(), current_setting('port')::integer), l.log_id, l.partitions, l.format
FROM log l
LEFT JOIN pg_roles r ON r.rolname = reader_role()
