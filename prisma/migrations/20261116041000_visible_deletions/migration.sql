-- AlterTable
ALTER TABLE "purges" ADD COLUMN     "account_id" TEXT COLLATE "C",
ADD COLUMN     "deleted_rows" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "name" TEXT COLLATE "C";

-- What Prisma cannot express ------------------------------------------------------------------------------------------

-- As before, and with whose it was and what it was called, so that an operator knows what is being deleted.
CREATE OR REPLACE FUNCTION "purge_agents"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "purges" ("table", "owner_id", "account_id", "name")
    SELECT "kind", "deleted"."id", "deleted"."account_id", "deleted"."name"
      FROM "deleted", unnest(enum_range(NULL::"purged_table")) AS "kind"
     WHERE "kind" NOT IN ('deliveries', 'memory_words', 'memory_entries', 'events')
    UNION ALL
    SELECT "kind", coalesce("deleted"."memory_id", "deleted"."id"), "deleted"."account_id", "deleted"."name"
      FROM "deleted", unnest('{memory_words,memory_entries}'::"purged_table"[]) AS "kind";
    DELETE FROM "invocations" USING "deleted"
     WHERE "invocations"."account_id" = "deleted"."account_id" AND "invocations"."agent_id" = "deleted"."id"
       AND "invocations"."status" IN ('queued', 'running');
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION "purge_webhooks"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "purges" ("table", "owner_id", "account_id", "name")
    SELECT 'deliveries', "id", "account_id", "host" FROM "deleted";
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION "purge_accounts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "purges" ("table", "owner_id", "account_id", "name") SELECT 'events', "id", "id", "name" FROM "deleted";
    RETURN NULL;
END
$$;
