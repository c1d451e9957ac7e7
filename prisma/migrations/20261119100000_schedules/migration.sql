-- When agents are invoked by themselves.
CREATE TABLE "schedules" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "cron" TEXT COLLATE "C" NOT NULL,
    "timezone" TEXT COLLATE "C" NOT NULL,
    "message" TEXT NOT NULL,
    "context" JSONB,
    "next_at" TIMESTAMPTZ(3),
    "last_at" TIMESTAMPTZ(3),
    "last_request_id" TEXT COLLATE "C",
    "last_skipped" BOOLEAN NOT NULL DEFAULT false,
    CONSTRAINT "schedules_pkey" PRIMARY KEY ("account_id", "agent_id", "name")
);
-- The first finds the accounts that have something to do, on every server; the second claims it.
CREATE INDEX "schedules_due_idx" ON "schedules" ("next_at", "account_id") WHERE "next_at" IS NOT NULL;
CREATE INDEX "schedules_account_due_idx" ON "schedules" ("account_id", "next_at") WHERE "next_at" IS NOT NULL;

-- The schedule that made an invocation.
ALTER TABLE "invocations" ADD COLUMN "schedule" TEXT COLLATE "C";

-- In a database that is distributed already, new tables are distributed like the others.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    IF EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = '"invocations"'::regclass AND partmethod = 'h') THEN
      PERFORM create_distributed_table('"schedules"'::regclass, 'account_id', colocate_with := 'invocations');
    END IF;
  END IF;
END $$;
