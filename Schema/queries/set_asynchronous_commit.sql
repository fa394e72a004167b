-- For the connection that sends notifications only: a lost hint costs a poll.
SELECT set_config('synchronous_commit', 'off', false)
