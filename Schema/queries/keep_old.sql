-- From now on the rebuild to a generation ($1) keeps what was shown before it.
UPDATE rebuilds SET keeps_old = true WHERE generation = $1
