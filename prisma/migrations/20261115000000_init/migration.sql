-- Trigrams find misspelt words; btree_gin puts the agent into the same index as the words, so that a search reads
-- nothing of other agents. Both extensions are trusted: the owner of the database may create them.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- CreateEnum
CREATE TYPE "account_tier" AS ENUM ('free', 'pro', 'enterprise');

-- CreateEnum
CREATE TYPE "agent_status" AS ENUM ('running', 'stopped');

-- CreateEnum
CREATE TYPE "deployment_status" AS ENUM ('active', 'superseded', 'rolled_back');

-- CreateEnum
CREATE TYPE "invocation_status" AS ENUM ('queued', 'running', 'succeeded', 'failed');

-- CreateEnum
CREATE TYPE "log_level" AS ENUM ('debug', 'info', 'warn', 'error');

-- CreateEnum
CREATE TYPE "memory_role" AS ENUM ('user', 'agent');

-- CreateEnum
CREATE TYPE "webhook_status" AS ENUM ('enabled', 'disabled');

-- CreateEnum
CREATE TYPE "delivery_status" AS ENUM ('pending', 'succeeded', 'failed');

-- CreateEnum
CREATE TYPE "idempotency_state" AS ENUM ('running', 'completed');

-- CreateTable
CREATE TABLE "accounts" (
    "id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "tier" "account_tier" NOT NULL DEFAULT 'free',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT COLLATE "C" NOT NULL,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "agent_id" TEXT COLLATE "C",
    "name" TEXT COLLATE "C" NOT NULL,
    "permissions" TEXT[],
    "key_hash" BYTEA NOT NULL,
    "preview" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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
    "policy" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "agents_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "mfa_enrolments" (
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "sealed_secret" BYTEA NOT NULL,
    "last_used_step" BIGINT NOT NULL DEFAULT 0,
    "failed_attempts" INTEGER NOT NULL DEFAULT 0,
    "locked_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "mfa_enrolments_pkey" PRIMARY KEY ("agent_id")
);

-- CreateTable
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
    "created_by" TEXT COLLATE "C",
    "replaced_deployment_id" TEXT COLLATE "C",
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "activated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "deployments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "invocations" (
    "id" TEXT COLLATE "C" NOT NULL,
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "deployment_id" TEXT COLLATE "C",
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
    "available_at" TIMESTAMPTZ(3),
    "lease_owner" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "invocations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "session_leases" (
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "session_id" TEXT COLLATE "C" NOT NULL,
    "owner" TEXT NOT NULL,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "session_leases_pkey" PRIMARY KEY ("agent_id","session_id")
);

-- CreateTable
CREATE TABLE "log_entries" (
    "id" TEXT COLLATE "C" NOT NULL,
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "logged_at" TIMESTAMPTZ(3) NOT NULL,
    "level" "log_level" NOT NULL,
    "request_id" TEXT COLLATE "C",
    "message" TEXT NOT NULL,
    "metadata" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "log_entries_pkey" PRIMARY KEY ("agent_id","logged_at","id")
);

-- CreateTable
CREATE TABLE "memory_entries" (
    "id" TEXT COLLATE "C" NOT NULL,
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "request_id" TEXT COLLATE "C" NOT NULL,
    "session_id" TEXT COLLATE "C",
    "user_id" TEXT COLLATE "C",
    "role" "memory_role" NOT NULL,
    "content" TEXT NOT NULL,
    "embedding" REAL[],
    "search" tsvector GENERATED ALWAYS AS (to_tsvector('english'::regconfig, "left"(content, 100000))) STORED,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memory_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage_deltas" (
    "id" BIGSERIAL NOT NULL,
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "bucket_start" TIMESTAMPTZ(3) NOT NULL,
    "invocations" INTEGER NOT NULL DEFAULT 0,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "duration_ms" BIGINT NOT NULL DEFAULT 0,
    "logs_debug" INTEGER NOT NULL DEFAULT 0,
    "logs_info" INTEGER NOT NULL DEFAULT 0,
    "logs_warn" INTEGER NOT NULL DEFAULT 0,
    "logs_error" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "usage_deltas_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "usage_rollups" (
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "bucket_seconds" INTEGER NOT NULL,
    "bucket_start" TIMESTAMPTZ(3) NOT NULL,
    "invocations" BIGINT NOT NULL DEFAULT 0,
    "failures" BIGINT NOT NULL DEFAULT 0,
    "duration_ms" BIGINT NOT NULL DEFAULT 0,
    "logs_debug" BIGINT NOT NULL DEFAULT 0,
    "logs_info" BIGINT NOT NULL DEFAULT 0,
    "logs_warn" BIGINT NOT NULL DEFAULT 0,
    "logs_error" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "usage_rollups_pkey" PRIMARY KEY ("agent_id","bucket_seconds","bucket_start")
);

-- CreateTable
CREATE TABLE "webhooks" (
    "id" TEXT COLLATE "C" NOT NULL,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "agent_id" TEXT COLLATE "C",
    "url" TEXT NOT NULL,
    "events" TEXT[],
    "status" "webhook_status" NOT NULL DEFAULT 'enabled',
    "disabled_reason" TEXT,
    "sealed_secret" BYTEA NOT NULL,
    "failing_since" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "events" (
    "id" TEXT COLLATE "C" NOT NULL,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "request_id" TEXT COLLATE "C" NOT NULL,
    "type" TEXT NOT NULL,
    "body" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "deliveries" (
    "event_id" TEXT COLLATE "C" NOT NULL,
    "webhook_id" TEXT COLLATE "C" NOT NULL,
    "status" "delivery_status" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lease_owner" TEXT,
    "last_attempt_at" TIMESTAMPTZ(3),
    "last_status_code" INTEGER,
    "last_error" TEXT,

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("event_id","webhook_id")
);

-- CreateTable
CREATE TABLE "idempotency_records" (
    "id" BYTEA NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "state" "idempotency_state" NOT NULL DEFAULT 'running',
    "owner" TEXT NOT NULL,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,
    "response_status" INTEGER,
    "sealed_response" BYTEA,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_records_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE UNLOGGED TABLE "rate_buckets" (
    "id" TEXT COLLATE "C" NOT NULL,
    "tokens" DOUBLE PRECISION NOT NULL,
    "granted" INTEGER NOT NULL,
    "updated_at" TIMESTAMPTZ(6) NOT NULL,
    "full_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "rate_buckets_pkey" PRIMARY KEY ("id")
) WITH (fillfactor = 50);

-- CreateTable
CREATE TABLE "settings" (
    "key" TEXT COLLATE "C" NOT NULL,
    "value" JSONB NOT NULL,

    CONSTRAINT "settings_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE UNIQUE INDEX "accounts_name_key" ON "accounts"("name");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_key_hash_key" ON "api_keys"("key_hash");

-- CreateIndex
CREATE INDEX "api_keys_account_id_created_at_id_idx" ON "api_keys"("account_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "api_keys_account_id_name_id_idx" ON "api_keys"("account_id", "name", "id");

-- CreateIndex
CREATE INDEX "api_keys_agent_id_idx" ON "api_keys"("agent_id");

-- CreateIndex
CREATE INDEX "agents_account_id_created_at_id_idx" ON "agents"("account_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "agents_account_id_updated_at_id_idx" ON "agents"("account_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "agents_account_id_name_key" ON "agents"("account_id", "name");

-- CreateIndex
CREATE INDEX "deployments_agent_id_created_at_id_idx" ON "deployments"("agent_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "deployments_agent_id_version_id_idx" ON "deployments"("agent_id", "version", "id");

-- CreateIndex
CREATE INDEX "deployments_replaced_deployment_id_idx" ON "deployments"("replaced_deployment_id");

-- CreateIndex
CREATE UNIQUE INDEX "deployments_agent_id_environment_version_key" ON "deployments"("agent_id", "environment", "version");

-- CreateIndex
CREATE INDEX "invocations_agent_id_created_at_idx" ON "invocations"("agent_id", "created_at");

-- CreateIndex
CREATE INDEX "log_entries_agent_id_level_logged_at_id_idx" ON "log_entries"("agent_id", "level", "logged_at", "id");

-- CreateIndex
CREATE INDEX "log_entries_request_id_idx" ON "log_entries"("request_id");

-- CreateIndex
CREATE INDEX "memory_entries_agent_id_session_id_created_at_id_idx" ON "memory_entries"("agent_id", "session_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "usage_deltas_agent_id_bucket_start_idx" ON "usage_deltas"("agent_id", "bucket_start");

-- CreateIndex
CREATE INDEX "webhooks_account_id_created_at_id_idx" ON "webhooks"("account_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "webhooks_agent_id_idx" ON "webhooks"("agent_id");

-- CreateIndex
CREATE INDEX "events_account_id_id_idx" ON "events"("account_id", "id");

-- CreateIndex
CREATE INDEX "deliveries_webhook_id_last_attempt_at_idx" ON "deliveries"("webhook_id", "last_attempt_at");

-- CreateIndex
CREATE INDEX "idempotency_records_expires_at_idx" ON "idempotency_records"("expires_at");

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "agents" ADD CONSTRAINT "agents_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "mfa_enrolments" ADD CONSTRAINT "mfa_enrolments_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_replaced_deployment_id_fkey" FOREIGN KEY ("replaced_deployment_id") REFERENCES "deployments"("id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "invocations" ADD CONSTRAINT "invocations_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_leases" ADD CONSTRAINT "session_leases_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "log_entries" ADD CONSTRAINT "log_entries_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "memory_entries" ADD CONSTRAINT "memory_entries_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usage_deltas" ADD CONSTRAINT "usage_deltas_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "usage_rollups" ADD CONSTRAINT "usage_rollups_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- What Prisma cannot express ------------------------------------------------------------------------------------------

ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_key_hash_check" CHECK (octet_length("key_hash") = 32);

ALTER TABLE "usage_rollups" ADD CONSTRAINT "usage_rollups_bucket_seconds_check" CHECK ("bucket_seconds" IN (60, 3600, 86400));

ALTER TABLE "invocations" ADD CONSTRAINT "invocations_claimable_check"
    CHECK ("status" NOT IN ('queued', 'running') OR ("available_at" IS NOT NULL AND "message" IS NOT NULL));

-- Folded away within seconds of being written, so it must be cleaned by count, not by share.
ALTER TABLE "usage_deltas" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- At most one active deployment per agent and environment, whoever deploys or rolls back at the same moment.
CREATE UNIQUE INDEX "deployments_active_key" ON "deployments" ("agent_id", "environment") WHERE "status" = 'active';

-- Claiming asynchronous invocations and pending deliveries, in the order in which they fall due.
CREATE INDEX "invocations_claim_idx" ON "invocations" ("available_at") WHERE "status" IN ('queued', 'running');
CREATE INDEX "deliveries_due_idx" ON "deliveries" ("next_attempt_at") WHERE "status" = 'pending';
CREATE INDEX "deliveries_webhook_due_idx" ON "deliveries" ("webhook_id", "next_attempt_at") WHERE "status" = 'pending';

-- Words and trigrams of an agent's memory. A query may use any of the three columns.
CREATE INDEX "memory_entries_search_idx" ON "memory_entries"
    USING GIN ("agent_id", "search", ("left"("content", 10000)) gin_trgm_ops);

-- Announces changes to every instance, so that none answers from an outdated cache. The payload is kind:id.
CREATE FUNCTION "announce_change"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed jsonb := to_jsonb(CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END);
BEGIN
    PERFORM pg_notify('ahs_invalidate', TG_ARGV[0] || ':' || (changed ->> TG_ARGV[1]));
    RETURN NULL;
END
$$;

CREATE TRIGGER "accounts_announce" AFTER UPDATE OR DELETE ON "accounts"
    FOR EACH ROW EXECUTE FUNCTION "announce_change"('account', 'id');

CREATE TRIGGER "agents_announce" AFTER UPDATE OR DELETE ON "agents"
    FOR EACH ROW EXECUTE FUNCTION "announce_change"('agent', 'id');

-- What is cached is the agent with its active configuration, so it is the agent that a deployment changes.
CREATE TRIGGER "deployments_announce" AFTER INSERT OR UPDATE ON "deployments"
    FOR EACH ROW EXECUTE FUNCTION "announce_change"('agent', 'agent_id');

CREATE TRIGGER "api_keys_announce_delete" AFTER DELETE ON "api_keys"
    FOR EACH ROW EXECUTE FUNCTION "announce_change"('key', 'id');

-- Not for last_used_at, which changes all the time and which nobody caches.
CREATE TRIGGER "api_keys_announce_update" AFTER UPDATE ON "api_keys"
    FOR EACH ROW WHEN ((OLD."name", OLD."permissions", OLD."key_hash", OLD."expires_at", OLD."revoked_at")
        IS DISTINCT FROM (NEW."name", NEW."permissions", NEW."key_hash", NEW."expires_at", NEW."revoked_at"))
    EXECUTE FUNCTION "announce_change"('key', 'id');
