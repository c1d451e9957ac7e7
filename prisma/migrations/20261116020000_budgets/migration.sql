-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "budget" JSONB;

-- AlterTable
ALTER TABLE "invocations" ADD COLUMN     "model" TEXT;

-- AlterTable
ALTER TABLE "usage_deltas" ADD COLUMN     "tokens" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "usage_rollups" ADD COLUMN     "tokens" BIGINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "budget_windows" (
    "owner_id" TEXT COLLATE "C" NOT NULL,
    "window_ms" BIGINT NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    "tokens" BIGINT NOT NULL,

    CONSTRAINT "budget_windows_pkey" PRIMARY KEY ("owner_id","window_ms","ends_at")
);

-- CreateIndex
CREATE INDEX "budget_windows_ends_at_idx" ON "budget_windows"("ends_at");

-- What Prisma cannot express ------------------------------------------------------------------------------------------

-- Instead of foreign keys, of which a row would need one of two. What is counted for an owner that is gone is pruned.
CREATE FUNCTION "delete_budget_windows"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM "budget_windows" USING "deleted" WHERE "budget_windows"."owner_id" = "deleted"."id";
    RETURN NULL;
END
$$;

CREATE TRIGGER "agents_delete_budget_windows" AFTER DELETE ON "agents"
    REFERENCING OLD TABLE AS "deleted" FOR EACH STATEMENT EXECUTE FUNCTION "delete_budget_windows"();
CREATE TRIGGER "accounts_delete_budget_windows" AFTER DELETE ON "accounts"
    REFERENCING OLD TABLE AS "deleted" FOR EACH STATEMENT EXECUTE FUNCTION "delete_budget_windows"();
