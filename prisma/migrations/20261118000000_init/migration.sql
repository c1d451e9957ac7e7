-- The whole schema. Prisma makes the client from schema.prisma; what it cannot express is here only.
--
-- Words are searched by full text, and misspelt ones by their trigrams. btree_gin lets one index hold an agent and its words.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

CREATE TYPE "account_tier" AS ENUM ('free', 'pro', 'enterprise');
CREATE TYPE "agent_status" AS ENUM ('running', 'stopped');
CREATE TYPE "deployment_status" AS ENUM ('active', 'superseded', 'rolled_back');
CREATE TYPE "invocation_status" AS ENUM ('queued', 'running', 'succeeded', 'failed');
CREATE TYPE "log_level" AS ENUM ('debug', 'info', 'warn', 'error');
CREATE TYPE "memory_role" AS ENUM ('user', 'agent');
CREATE TYPE "webhook_status" AS ENUM ('enabled', 'disabled');
CREATE TYPE "delivery_status" AS ENUM ('pending', 'succeeded', 'failed');
CREATE TYPE "idempotency_state" AS ENUM ('running', 'completed');
CREATE TYPE "instance_role" AS ENUM ('service', 'worker');
CREATE TYPE "purged_table" AS ENUM (
    'usage_deltas', 'deliveries', 'memory_words', 'usage_rollups', 'deployments', 'invocations', 'log_entries', 'memory_entries',
    'stream_events');

-- Reference tables: few rows, rarely written. With Citus every server has a copy of them.

CREATE TABLE "accounts" (
    "id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "tier" "account_tier" NOT NULL DEFAULT 'free',
    "caps" JSONB,
    "budget" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "accounts_name_key" ON "accounts" ("name");

CREATE TABLE "agents" (
    "id" TEXT COLLATE "C" NOT NULL,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "status" "agent_status" NOT NULL DEFAULT 'running',
    "model" TEXT NOT NULL,
    "temperature" DOUBLE PRECISION NOT NULL DEFAULT 1,
    "instructions" TEXT NOT NULL DEFAULT '',
    "timeout_ms" INTEGER NOT NULL DEFAULT 60000,
    "history_limit" INTEGER NOT NULL DEFAULT 20,
    "endpoint" JSONB,
    "options" JSONB NOT NULL DEFAULT '{}',
    "budget" JSONB,
    "policy" JSONB NOT NULL DEFAULT '{}',
    "memory_id" TEXT COLLATE "C",
    "memory_epoch" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "agents_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "agents_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id") ON DELETE CASCADE
);
CREATE UNIQUE INDEX "agents_account_id_name_key" ON "agents" ("account_id", "name");
CREATE INDEX "agents_account_id_created_at_id_idx" ON "agents" ("account_id", "created_at", "id");
CREATE INDEX "agents_account_id_updated_at_id_idx" ON "agents" ("account_id", "updated_at", "id");
CREATE INDEX "agents_name_idx" ON "agents" ("name");

CREATE TABLE "api_keys" (
    "id" TEXT COLLATE "C" NOT NULL,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "agent_id" TEXT COLLATE "C",
    "name" TEXT COLLATE "C" NOT NULL,
    "permissions" TEXT[],
    "key_hash" BYTEA NOT NULL,
    "preview" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_by" TEXT COLLATE "C",
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "api_keys_key_hash_check" CHECK (octet_length("key_hash") = 32),
    CONSTRAINT "api_keys_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id") ON DELETE CASCADE,
    CONSTRAINT "api_keys_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents" ("id") ON DELETE CASCADE
);
CREATE UNIQUE INDEX "api_keys_key_hash_key" ON "api_keys" ("key_hash");
CREATE INDEX "api_keys_account_id_created_at_id_idx" ON "api_keys" ("account_id", "created_at", "id");
CREATE INDEX "api_keys_account_id_name_id_idx" ON "api_keys" ("account_id", "name", "id");
CREATE INDEX "api_keys_agent_id_idx" ON "api_keys" ("agent_id");

CREATE TABLE "deployments" (
    "id" TEXT COLLATE "C" NOT NULL,
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "environment" TEXT COLLATE "C" NOT NULL,
    "version" TEXT COLLATE "C" NOT NULL,
    "status" "deployment_status" NOT NULL,
    "model" TEXT NOT NULL,
    "temperature" DOUBLE PRECISION NOT NULL,
    "instructions" TEXT NOT NULL,
    "timeout_ms" INTEGER NOT NULL,
    "history_limit" INTEGER NOT NULL,
    "endpoint" JSONB,
    "options" JSONB NOT NULL DEFAULT '{}',
    "created_by" TEXT COLLATE "C",
    "replaced_deployment_id" TEXT COLLATE "C",
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "activated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "deployments_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "deployments_active_key" ON "deployments" ("agent_id", "environment") WHERE "status" = 'active';
CREATE UNIQUE INDEX "deployments_agent_id_environment_version_key" ON "deployments" ("agent_id", "environment", "version");
CREATE INDEX "deployments_agent_id_created_at_id_idx" ON "deployments" ("agent_id", "created_at", "id");
CREATE INDEX "deployments_agent_id_version_id_idx" ON "deployments" ("agent_id", "version", "id");

CREATE TABLE "webhooks" (
    "id" TEXT COLLATE "C" NOT NULL,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "agent_id" TEXT COLLATE "C",
    "url" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "events" TEXT[],
    "status" "webhook_status" NOT NULL DEFAULT 'enabled',
    "disabled_reason" TEXT,
    "sealed_secret" BYTEA NOT NULL,
    "sealed_key" TEXT COLLATE "C" GENERATED ALWAYS AS (
        CASE WHEN substring("sealed_secret" FROM 1 FOR 1) = '\x02' THEN encode(substring("sealed_secret" FROM 2 FOR 4), 'hex')
             WHEN "sealed_secret" IS NOT NULL THEN '' END) STORED,
    "failing_since" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "webhooks_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id") ON DELETE CASCADE,
    CONSTRAINT "webhooks_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents" ("id") ON DELETE CASCADE
);
CREATE INDEX "webhooks_account_id_created_at_id_idx" ON "webhooks" ("account_id", "created_at", "id");
CREATE INDEX "webhooks_agent_id_idx" ON "webhooks" ("agent_id");

CREATE TABLE "purges" (
    "table" "purged_table" NOT NULL,
    "owner_id" TEXT COLLATE "C" NOT NULL,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "deleted_rows" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "purges_pkey" PRIMARY KEY ("table", "owner_id")
);

CREATE TABLE "settings" (
    "key" TEXT COLLATE "C" NOT NULL,
    "value" JSONB NOT NULL,
    CONSTRAINT "settings_pkey" PRIMARY KEY ("key")
);

-- Of one installation, on the coordinator.

CREATE UNLOGGED TABLE "instances" (
    "id" TEXT COLLATE "C" NOT NULL,
    "role" "instance_role" NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "version" TEXT COLLATE "C" NOT NULL,
    "secrets_key_ids" TEXT[],
    "providers" TEXT[],
    "allows_private_targets" BOOLEAN NOT NULL,
    "variables" TEXT[],
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "heartbeat_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "instances_pkey" PRIMARY KEY ("id")
);

-- By account: tables that grow, and what is written by requests. None has a foreign key or needs a row lock on the agent.

CREATE TABLE "invocations" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "deployment_id" TEXT COLLATE "C",
    "model" TEXT,
    "status" "invocation_status" NOT NULL,
    "user_id" TEXT COLLATE "C",
    "session_id" TEXT COLLATE "C",
    "message" TEXT,
    "context" JSONB,
    "tokens_used" INTEGER,
    "duration_ms" INTEGER,
    "error_code" TEXT,
    "created_by" TEXT COLLATE "C",
    "idempotency_id" BYTEA,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "has_acted" BOOLEAN NOT NULL DEFAULT false,
    "trace_context" TEXT,
    "available_at" TIMESTAMPTZ(3),
    "lease_owner" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),
    CONSTRAINT "invocations_pkey" PRIMARY KEY ("account_id", "agent_id", "id"),
    CONSTRAINT "invocations_claimable_check"
        CHECK ("status" NOT IN ('queued', 'running') OR ("available_at" IS NOT NULL AND "message" IS NOT NULL))
) PARTITION BY RANGE ("id");
CREATE INDEX "invocations_account_id_agent_id_created_at_idx" ON "invocations" ("account_id", "agent_id", "created_at");
CREATE INDEX "invocations_queue_idx" ON "invocations" ("account_id", "available_at") WHERE "status" IN ('queued', 'running');
CREATE INDEX "invocations_session_queue_idx" ON "invocations" ("account_id", "agent_id", "session_id", "id")
    WHERE "status" IN ('queued', 'running') AND "session_id" IS NOT NULL;

CREATE TABLE "session_leases" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "session_id" TEXT COLLATE "C" NOT NULL,
    "owner" TEXT NOT NULL,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,
    "waited" BOOLEAN NOT NULL DEFAULT false,
    CONSTRAINT "session_leases_pkey" PRIMARY KEY ("account_id", "agent_id", "session_id")
);

CREATE TABLE "mfa_enrolments" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "sealed_secret" BYTEA NOT NULL,
    "sealed_key" TEXT COLLATE "C" GENERATED ALWAYS AS (
        CASE WHEN substring("sealed_secret" FROM 1 FOR 1) = '\x02' THEN encode(substring("sealed_secret" FROM 2 FOR 4), 'hex')
             WHEN "sealed_secret" IS NOT NULL THEN '' END) STORED,
    "last_used_step" BIGINT NOT NULL DEFAULT 0,
    "failed_attempts" INTEGER NOT NULL DEFAULT 0,
    "locked_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "mfa_enrolments_pkey" PRIMARY KEY ("account_id", "agent_id")
);

CREATE TABLE "log_entries" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "logged_at" TIMESTAMPTZ(3) NOT NULL,
    "level" "log_level" NOT NULL,
    "request_id" TEXT COLLATE "C",
    "message" TEXT NOT NULL,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    CONSTRAINT "log_entries_pkey" PRIMARY KEY ("account_id", "agent_id", "logged_at", "id")
) PARTITION BY RANGE ("logged_at");
CREATE INDEX "log_entries_account_id_agent_id_level_logged_at_id_idx"
    ON "log_entries" ("account_id", "agent_id", "level", "logged_at", "id");
CREATE INDEX "log_entries_account_id_request_id_idx" ON "log_entries" ("account_id", "request_id");

-- A tsvector holds no more than 1 MB: `search` is of 262,144 bytes of the content, or of 65,536 characters if those are more.
CREATE TABLE "memory_entries" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "request_id" TEXT COLLATE "C" NOT NULL,
    "session_id" TEXT COLLATE "C",
    "user_id" TEXT COLLATE "C",
    "role" "memory_role" NOT NULL,
    "content" TEXT NOT NULL,
    "search" TSVECTOR GENERATED ALWAYS AS (to_tsvector('english'::regconfig,
        "left"("content", GREATEST(65536, 262144 + length("content") - octet_length("content"))))) STORED,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    CONSTRAINT "memory_entries_pkey" PRIMARY KEY ("account_id", "agent_id", "id")
) PARTITION BY RANGE ("id");
CREATE INDEX "memory_entries_id_idx" ON "memory_entries" ("id");
-- A short pending list, which every search reads: merging a long one would delay one of the writers.
CREATE INDEX "memory_entries_search_idx" ON "memory_entries" USING GIN ("agent_id", "user_id", "search")
    WITH (gin_pending_list_limit = 512) WHERE "search" IS NOT NULL;
-- By id, in which order partitions are too: the newest messages of a session are then read from the newest partitions.
CREATE INDEX "memory_entries_session_idx" ON "memory_entries" ("account_id", "agent_id", "session_id", "id")
    WHERE "session_id" IS NOT NULL;
CREATE INDEX "memory_entries_user_session_idx" ON "memory_entries" ("account_id", "agent_id", "session_id", "user_id", "id")
    WHERE "session_id" IS NOT NULL AND "user_id" IS NOT NULL;
CREATE INDEX "memory_entries_user_idx" ON "memory_entries" ("account_id", "agent_id", "user_id", "id") WHERE "user_id" IS NOT NULL;

CREATE TABLE "memory_clearances" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "user_id" TEXT COLLATE "C" NOT NULL,
    "epoch" INTEGER NOT NULL,
    CONSTRAINT "memory_clearances_pkey" PRIMARY KEY ("account_id", "agent_id", "user_id")
);

CREATE TABLE "memory_words" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "word" TEXT COLLATE "C" NOT NULL,
    "said_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "memory_words_pkey" PRIMARY KEY ("account_id", "agent_id", "word")
);
CREATE INDEX "memory_words_similar_idx" ON "memory_words" USING GIN ("agent_id", "word" gin_trgm_ops) WHERE length("word") > 3;

CREATE TABLE "memory_embeddings" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "entry_id" TEXT COLLATE "C" NOT NULL,
    "model" TEXT NOT NULL,
    "embedding" REAL[],
    "signature" BIT VARYING NOT NULL,
    CONSTRAINT "memory_embeddings_pkey" PRIMARY KEY ("account_id", "agent_id", "entry_id")
) PARTITION BY RANGE ("entry_id");

-- Most of its rows are dead, since each is folded within seconds.
CREATE TABLE "usage_deltas" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "bucket_start" TIMESTAMPTZ(3) NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "invocations" INTEGER NOT NULL DEFAULT 0,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "duration_ms" BIGINT NOT NULL DEFAULT 0,
    "tokens" BIGINT NOT NULL DEFAULT 0,
    "logs_debug" INTEGER NOT NULL DEFAULT 0,
    "logs_info" INTEGER NOT NULL DEFAULT 0,
    "logs_warn" INTEGER NOT NULL DEFAULT 0,
    "logs_error" INTEGER NOT NULL DEFAULT 0,
    CONSTRAINT "usage_deltas_pkey" PRIMARY KEY ("account_id", "agent_id", "bucket_start", "id")
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

CREATE TABLE "usage_rollups" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "bucket_seconds" INTEGER NOT NULL,
    "bucket_start" TIMESTAMPTZ(3) NOT NULL,
    "invocations" BIGINT NOT NULL DEFAULT 0,
    "failures" BIGINT NOT NULL DEFAULT 0,
    "duration_ms" BIGINT NOT NULL DEFAULT 0,
    "tokens" BIGINT NOT NULL DEFAULT 0,
    "logs_debug" BIGINT NOT NULL DEFAULT 0,
    "logs_info" BIGINT NOT NULL DEFAULT 0,
    "logs_warn" BIGINT NOT NULL DEFAULT 0,
    "logs_error" BIGINT NOT NULL DEFAULT 0,
    CONSTRAINT "usage_rollups_pkey" PRIMARY KEY ("account_id", "agent_id", "bucket_seconds", "bucket_start"),
    CONSTRAINT "usage_rollups_bucket_seconds_check" CHECK ("bucket_seconds" IN (60, 300, 3600, 86400))
) PARTITION BY RANGE ("bucket_start");

CREATE TABLE "budget_windows" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "owner_id" TEXT COLLATE "C" NOT NULL,
    "window_ms" BIGINT NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    "tokens" BIGINT NOT NULL,
    CONSTRAINT "budget_windows_pkey" PRIMARY KEY ("account_id", "owner_id", "window_ms", "ends_at")
);
CREATE INDEX "budget_windows_ends_at_idx" ON "budget_windows" ("ends_at");

CREATE TABLE "events" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "request_id" TEXT COLLATE "C" NOT NULL,
    "type" TEXT NOT NULL,
    "body" BYTEA NOT NULL,
    "trace_context" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "events_pkey" PRIMARY KEY ("account_id", "id")
) PARTITION BY RANGE ("id");
CREATE INDEX "events_account_id_request_id_idx" ON "events" ("account_id", "request_id");

CREATE TABLE "deliveries" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "event_id" TEXT COLLATE "C" NOT NULL,
    "webhook_id" TEXT COLLATE "C" NOT NULL,
    "status" "delivery_status" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lease_owner" TEXT,
    "last_attempt_at" TIMESTAMPTZ(3),
    "last_status_code" INTEGER,
    "last_error" TEXT,
    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("account_id", "event_id", "webhook_id")
) PARTITION BY RANGE ("event_id");
CREATE INDEX "deliveries_account_id_webhook_id_last_attempt_at_idx" ON "deliveries" ("account_id", "webhook_id", "last_attempt_at");
CREATE INDEX "deliveries_due_idx" ON "deliveries" ("next_attempt_at") WHERE "status" = 'pending';
CREATE INDEX "deliveries_webhook_due_idx" ON "deliveries" ("account_id", "webhook_id", "next_attempt_at") WHERE "status" = 'pending';

CREATE TABLE "idempotency_records" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "id" BYTEA NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "state" "idempotency_state" NOT NULL DEFAULT 'running',
    "owner" TEXT NOT NULL,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,
    "response_status" INTEGER,
    "sealed_response" BYTEA,
    "sealed_key" TEXT COLLATE "C" GENERATED ALWAYS AS (
        CASE WHEN substring("sealed_response" FROM 1 FOR 1) = '\x02' THEN encode(substring("sealed_response" FROM 2 FOR 4), 'hex')
             WHEN "sealed_response" IS NOT NULL THEN '' END) STORED,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "is_stream" BOOLEAN NOT NULL DEFAULT false,
    "followed_at" TIMESTAMPTZ(3),
    "stop_requested" BOOLEAN NOT NULL DEFAULT false,
    CONSTRAINT "idempotency_records_pkey" PRIMARY KEY ("account_id", "id")
);
CREATE INDEX "idempotency_records_expires_at_idx" ON "idempotency_records" ("expires_at");

CREATE TABLE "stream_events" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "stream_id" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "idempotency_id" BYTEA NOT NULL,
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "event" TEXT NOT NULL,
    "sealed_data" BYTEA NOT NULL,
    "sealed_key" TEXT COLLATE "C" GENERATED ALWAYS AS (encode(substring("sealed_data" FROM 2 FOR 4), 'hex')) STORED,
    "drop_at" TIMESTAMPTZ(3),
    CONSTRAINT "stream_events_pkey" PRIMARY KEY ("account_id", "stream_id", "position")
);
CREATE INDEX "stream_events_account_id_agent_id_idx" ON "stream_events" ("account_id", "agent_id");
CREATE INDEX "stream_events_stream_id_idx" ON "stream_events" ("stream_id");
CREATE INDEX "stream_events_drop_at_idx" ON "stream_events" ("drop_at") WHERE "drop_at" IS NOT NULL;

CREATE UNLOGGED TABLE "rate_buckets" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "tokens" DOUBLE PRECISION NOT NULL,
    "granted" INTEGER NOT NULL,
    "updated_at" DOUBLE PRECISION NOT NULL,
    "full_at" DOUBLE PRECISION NOT NULL,
    CONSTRAINT "rate_buckets_pkey" PRIMARY KEY ("account_id", "agent_id")
) WITH (fillfactor = 50);

-- Two partitions of each: one without a beginning, and one without an end, which the service divides as time goes by. An id begins
-- with its time.
CREATE TABLE "invocations_past" PARTITION OF "invocations" FOR VALUES FROM (MINVALUE) TO ('req_01m6a6ft000000000000000000');
CREATE TABLE "invocations_p20261101" PARTITION OF "invocations" FOR VALUES FROM ('req_01m6a6ft000000000000000000') TO (MAXVALUE);
CREATE TABLE "log_entries_past" PARTITION OF "log_entries" FOR VALUES FROM (MINVALUE) TO ('2026-11-01T00:00:00Z');
CREATE TABLE "log_entries_p20261101" PARTITION OF "log_entries" FOR VALUES FROM ('2026-11-01T00:00:00Z') TO (MAXVALUE);
CREATE TABLE "memory_entries_past" PARTITION OF "memory_entries" FOR VALUES FROM (MINVALUE) TO ('mem_01m6a6ft000000000000000000');
CREATE TABLE "memory_entries_p20261101" PARTITION OF "memory_entries" FOR VALUES FROM ('mem_01m6a6ft000000000000000000') TO (MAXVALUE);
CREATE TABLE "memory_embeddings_past" PARTITION OF "memory_embeddings" FOR VALUES FROM (MINVALUE) TO ('mem_01m6a6ft000000000000000000');
CREATE TABLE "memory_embeddings_p20261101" PARTITION OF "memory_embeddings" FOR VALUES FROM ('mem_01m6a6ft000000000000000000') TO (MAXVALUE);
CREATE TABLE "usage_rollups_past" PARTITION OF "usage_rollups" FOR VALUES FROM (MINVALUE) TO ('2026-11-01T00:00:00Z');
CREATE TABLE "usage_rollups_p20261101" PARTITION OF "usage_rollups" FOR VALUES FROM ('2026-11-01T00:00:00Z') TO (MAXVALUE);
CREATE TABLE "events_past" PARTITION OF "events" FOR VALUES FROM (MINVALUE) TO ('evt_01m6a6ft000000000000000000');
CREATE TABLE "events_p20261101" PARTITION OF "events" FOR VALUES FROM ('evt_01m6a6ft000000000000000000') TO (MAXVALUE);
CREATE TABLE "deliveries_past" PARTITION OF "deliveries" FOR VALUES FROM (MINVALUE) TO ('evt_01m6a6ft000000000000000000');
CREATE TABLE "deliveries_p20261101" PARTITION OF "deliveries" FOR VALUES FROM ('evt_01m6a6ft000000000000000000') TO (MAXVALUE);
