-- DropForeignKey
ALTER TABLE "deployments" DROP CONSTRAINT "deployments_agent_id_fkey";

-- DropForeignKey
ALTER TABLE "deployments" DROP CONSTRAINT "deployments_replaced_deployment_id_fkey";

-- DropForeignKey
ALTER TABLE "memory_words" DROP CONSTRAINT "memory_words_agent_id_fkey";

-- DropForeignKey
ALTER TABLE "usage_deltas" DROP CONSTRAINT "usage_deltas_agent_id_fkey";

-- DropForeignKey
ALTER TABLE "usage_rollups" DROP CONSTRAINT "usage_rollups_agent_id_fkey";

-- DropForeignKey
ALTER TABLE "deliveries" DROP CONSTRAINT "deliveries_webhook_id_fkey";

-- DropIndex
DROP INDEX "deployments_replaced_deployment_id_idx";

-- CreateEnum
CREATE TYPE "purged_table" AS ENUM ('usage_deltas', 'deliveries', 'memory_words', 'usage_rollups', 'deployments', 'invocations', 'log_entries', 'memory_entries');

-- CreateTable
CREATE TABLE "purges" (
    "table" "purged_table" NOT NULL,
    "owner_id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "purges_pkey" PRIMARY KEY ("table","owner_id")
);

-- AlterTable
ALTER TABLE "agents" ADD COLUMN     "memory_epoch" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "memory_id" TEXT COLLATE "C";

-- AlterTable
ALTER TABLE "memory_entries" ADD COLUMN     "epoch" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "memory_clearances" (
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "user_id" TEXT COLLATE "C" NOT NULL,
    "epoch" INTEGER NOT NULL,

    CONSTRAINT "memory_clearances_pkey" PRIMARY KEY ("agent_id","user_id")
);

-- AddForeignKey
ALTER TABLE "memory_clearances" ADD CONSTRAINT "memory_clearances_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- What Prisma cannot express ------------------------------------------------------------------------------------------

DROP TRIGGER "agents_delete_history" ON "agents";
DROP FUNCTION "delete_history"();

-- Whoever deletes an agent, also with its account, leaves a note of what is to be deleted after it. What waits in the queue
-- goes at once: there is no more of it than the account's cap, and it would count in that cap.
CREATE FUNCTION "purge_agents"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "purges" ("table", "owner_id")
    SELECT "kind", "deleted"."id"
      FROM "deleted", unnest(enum_range(NULL::"purged_table")) AS "kind"
     WHERE "kind" NOT IN ('deliveries', 'memory_words', 'memory_entries')
    UNION ALL
    SELECT "kind", coalesce("deleted"."memory_id", "deleted"."id")
      FROM "deleted", unnest('{memory_words,memory_entries}'::"purged_table"[]) AS "kind";
    DELETE FROM "invocations" USING "deleted"
     WHERE "invocations"."account_id" = "deleted"."account_id" AND "invocations"."agent_id" = "deleted"."id"
       AND "invocations"."status" IN ('queued', 'running');
    RETURN NULL;
END
$$;

CREATE TRIGGER "agents_purge" AFTER DELETE ON "agents"
    REFERENCING OLD TABLE AS "deleted" FOR EACH STATEMENT EXECUTE FUNCTION "purge_agents"();

CREATE FUNCTION "purge_webhooks"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "purges" ("table", "owner_id") SELECT 'deliveries', "id" FROM "deleted";
    RETURN NULL;
END
$$;

CREATE TRIGGER "webhooks_purge" AFTER DELETE ON "webhooks"
    REFERENCING OLD TABLE AS "deleted" FOR EACH STATEMENT EXECUTE FUNCTION "purge_webhooks"();
