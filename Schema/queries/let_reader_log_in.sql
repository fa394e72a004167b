-- Lets the role that reads log in itself. For a server that is reached over a private socket alone.
SELECT let_reader_log_in()::text
