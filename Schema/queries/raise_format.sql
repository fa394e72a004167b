-- Lets the log hold the kinds of events of a format ($1). Does nothing when it has that format or a later one.
UPDATE log SET format = $1 WHERE format < $1 RETURNING format
