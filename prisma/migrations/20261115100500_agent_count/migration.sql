-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "agent_count" INTEGER NOT NULL DEFAULT 0;

-- What Prisma cannot express ------------------------------------------------------------------------------------------

-- Announced are changes of what is cached, which the count is not.
DROP TRIGGER "accounts_announce" ON "accounts";
CREATE TRIGGER "accounts_announce_delete" AFTER DELETE ON "accounts"
    FOR EACH ROW EXECUTE FUNCTION "announce_change"('account', 'id');
CREATE TRIGGER "accounts_announce_update" AFTER UPDATE ON "accounts"
    FOR EACH ROW WHEN (OLD."agent_count" = NEW."agent_count") EXECUTE FUNCTION "announce_change"('account', 'id');

CREATE FUNCTION "count_agents"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE "accounts" SET "agent_count" = "agent_count" + TG_ARGV[0]::int * "changed"."number"
      FROM (SELECT "account_id", count(*) AS "number" FROM "counted" GROUP BY "account_id") AS "changed"
     WHERE "accounts"."id" = "changed"."account_id";
    RETURN NULL;
END
$$;

CREATE TRIGGER "agents_count_inserted" AFTER INSERT ON "agents"
    REFERENCING NEW TABLE AS "counted" FOR EACH STATEMENT EXECUTE FUNCTION "count_agents"('1');
CREATE TRIGGER "agents_count_deleted" AFTER DELETE ON "agents"
    REFERENCING OLD TABLE AS "counted" FOR EACH STATEMENT EXECUTE FUNCTION "count_agents"('-1');

-- After the triggers: creating them has locked out writers, so that none is counted twice or not at all.
UPDATE "accounts" SET "agent_count" = "counted"."number"
  FROM (SELECT "account_id", count(*) AS "number" FROM "agents" GROUP BY "account_id") AS "counted"
 WHERE "accounts"."id" = "counted"."account_id";
