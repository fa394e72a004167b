-- This transaction's commit waits for the disk, whatever the session's do.
SELECT set_config('synchronous_commit', 'on', true)
