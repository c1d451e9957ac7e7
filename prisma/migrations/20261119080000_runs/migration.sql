-- What is committed of runs with tools, so that another process can go on with them, and those that wait for approval.
CREATE TABLE "run_steps" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "request_id" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "user_id" TEXT COLLATE "C",
    "sealed_data" BYTEA NOT NULL,
    "sealed_key" TEXT COLLATE "C" GENERATED ALWAYS AS (encode(substring("sealed_data" FROM 2 FOR 4), 'hex')) STORED,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "run_steps_pkey" PRIMARY KEY ("account_id", "request_id", "position")
);
CREATE INDEX "run_steps_account_id_agent_id_idx" ON "run_steps" ("account_id", "agent_id");
CREATE INDEX "run_steps_created_at_idx" ON "run_steps" ("created_at");

CREATE TABLE "paused_runs" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "request_id" TEXT COLLATE "C" NOT NULL,
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "user_id" TEXT COLLATE "C",
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "paused_runs_pkey" PRIMARY KEY ("account_id", "request_id")
);
CREATE INDEX "paused_runs_account_id_agent_id_idx" ON "paused_runs" ("account_id", "agent_id");
CREATE INDEX "paused_runs_expires_at_idx" ON "paused_runs" ("expires_at");

-- The invocation that a request with an Idempotency-Key runs, once it has acted. A repeat goes on with it.
ALTER TABLE "idempotency_records" ADD COLUMN "request_id" TEXT COLLATE "C";

-- In a database that is distributed already, new tables are distributed like the others.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    IF EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = '"invocations"'::regclass AND partmethod = 'h') THEN
      PERFORM create_distributed_table('"run_steps"'::regclass, 'account_id', colocate_with := 'invocations');
      PERFORM create_distributed_table('"paused_runs"'::regclass, 'account_id', colocate_with := 'invocations');
    END IF;
  END IF;
END $$;
