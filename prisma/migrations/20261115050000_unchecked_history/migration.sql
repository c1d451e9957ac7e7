-- DropForeignKey
ALTER TABLE "log_entries" DROP CONSTRAINT "log_entries_agent_id_fkey";

-- DropForeignKey
ALTER TABLE "memory_entries" DROP CONSTRAINT "memory_entries_agent_id_fkey";

-- What Prisma cannot express ------------------------------------------------------------------------------------------

-- Whoever writes a log entry or remembers a turn has locked the agent in the same statement, so a check for each of the
-- rows would find out nothing new, and costs a sixth of the statement. What the foreign keys did beside is done here.
CREATE FUNCTION "delete_history"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM "log_entries" USING "deleted" WHERE "log_entries"."agent_id" = "deleted"."id";
    DELETE FROM "memory_entries" USING "deleted" WHERE "memory_entries"."agent_id" = "deleted"."id";
    RETURN NULL;
END
$$;

CREATE TRIGGER "agents_delete_history" AFTER DELETE ON "agents"
    REFERENCING OLD TABLE AS "deleted" FOR EACH STATEMENT EXECUTE FUNCTION "delete_history"();
