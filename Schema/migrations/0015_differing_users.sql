-- A server keeps the states of users whose rows are the same in both generations: loading everybody whom it serves again
-- would keep appends waiting for seconds after each cut-over. So it has to be told whose rows are not.

ALTER TABLE rebuild_partitions ADD COLUMN previous integer;
COMMENT ON COLUMN rebuild_partitions.previous IS
    'The generation shown before, from which the users in rebuild_differences differ; NULL: not shown yet, or not noted';

COMMENT ON TABLE rebuild_differences IS
    'Users whose rows come out different: who sees a difference gets projection.rebuilt (rule S8), servers load all of them anew';
