-- Takes the right to rebuild for this session, or returns false: another has it. The number is "focusreb" in ASCII.
SELECT pg_try_advisory_lock(7381227670382732642)
