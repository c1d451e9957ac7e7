-- Every row of a queue is updated two or more times, and by default PostgreSQL vacuums a partition only once a fifth of it is dead. Only
-- partitions have such settings, and each new one takes over those of the last.
DO $$
DECLARE
  "queue" regclass;
BEGIN
  FOR "queue" IN
    SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent IN ('"invocations"'::regclass, '"deliveries"'::regclass)
  LOOP
    EXECUTE format(
      'ALTER TABLE %s SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000)', "queue");
  END LOOP;
END $$;
