-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "caps" JSONB;

-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN     "host" TEXT COLLATE "C";

-- AlterTable
ALTER TABLE "invocations" ADD COLUMN     "account_id" TEXT COLLATE "C" NOT NULL DEFAULT '-';

-- What Prisma cannot express ------------------------------------------------------------------------------------------

UPDATE "webhooks" SET "host" = lower(substring("url" from '^[^:]+://(?:[^/?#@]*@)?(\[[^]]*\]|[^/?#:]+)'));

UPDATE "invocations" SET "account_id" = "agents"."account_id"
    FROM "agents"
    WHERE "agents"."id" = "invocations"."agent_id" AND "invocations"."status" IN ('queued', 'running');

-- Invocations that wait or run, by account: the queue takes them account by account, and counts what one has in it.
CREATE INDEX "invocations_account_queue_idx" ON "invocations" ("account_id", "available_at")
    WHERE "status" IN ('queued', 'running');
DROP INDEX "invocations_claim_idx";
