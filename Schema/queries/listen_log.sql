-- Hears what notify_log says.
LISTEN focus_log
