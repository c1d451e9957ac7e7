-- The environment of an invocation and of what it leaves. Null is production, so that what instances of the previous release write is right.
ALTER TABLE "invocations" ADD COLUMN "environment" TEXT COLLATE "C";
ALTER TABLE "log_entries" ADD COLUMN "environment" TEXT COLLATE "C";
ALTER TABLE "memory_entries" ADD COLUMN "environment" TEXT COLLATE "C";

-- They hold nothing of production, whose writes and reads stay as they are.
CREATE INDEX "invocations_environment_idx" ON ONLY "invocations" ("account_id", "agent_id", "environment", "created_at")
    WHERE "environment" IS NOT NULL;
CREATE INDEX "log_entries_environment_idx" ON ONLY "log_entries" ("account_id", "agent_id", "environment", "logged_at", "id")
    WHERE "environment" IS NOT NULL;
CREATE INDEX "memory_entries_environment_idx" ON ONLY "memory_entries" ("account_id", "agent_id", "environment", "session_id", "id")
    WHERE "environment" IS NOT NULL;

-- An index on a partition is built under a lock, by reading the partition once. Larger partitions go without: the next one of each table
-- has the index, and until then reads of environments other than production are slower.
DO $$
DECLARE
  "part" record;
BEGIN
  FOR "part" IN
    SELECT inhrelid::regclass AS "table", child.relname || '_environment_idx' AS "index", parent.relname AS "of",
           CASE parent.relname WHEN 'invocations' THEN '"created_at"' WHEN 'log_entries' THEN '"logged_at", "id"' ELSE '"session_id", "id"' END
             AS "order"
      FROM pg_inherits
      JOIN pg_class AS child ON child.oid = inhrelid
      JOIN pg_class AS parent ON parent.oid = inhparent
     WHERE inhparent IN ('"invocations"'::regclass, '"log_entries"'::regclass, '"memory_entries"'::regclass)
       AND pg_relation_size(inhrelid) < 256 * 1024 * 1024
  LOOP
    EXECUTE format('CREATE INDEX %I ON %s ("account_id", "agent_id", "environment", %s) WHERE "environment" IS NOT NULL',
                   "part"."index", "part"."table", "part"."order");
    EXECUTE format('ALTER INDEX %I ATTACH PARTITION %I', "part"."of" || '_environment_idx', "part"."index");
  END LOOP;
END $$;
