-- Records that a user of the operating system ($1) looked at the data of some users ($3; NULL: of all) by a command ($2).
SELECT record_operator_action($1::text, $2::text, $3::uuid[])::text
