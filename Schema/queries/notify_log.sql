-- Tells listeners that something was appended: a hint to look at the heads, nothing more.
SELECT pg_notify('focus_log', $1)
