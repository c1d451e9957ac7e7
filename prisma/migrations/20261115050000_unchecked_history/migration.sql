-- DropForeignKey
ALTER TABLE "invocations" DROP CONSTRAINT "invocations_agent_id_fkey";

-- DropForeignKey
ALTER TABLE "log_entries" DROP CONSTRAINT "log_entries_agent_id_fkey";

-- DropForeignKey
ALTER TABLE "memory_entries" DROP CONSTRAINT "memory_entries_agent_id_fkey";

-- DropIndex
DROP INDEX "memory_entries_agent_id_session_id_created_at_id_idx";

-- What Prisma cannot express ------------------------------------------------------------------------------------------

-- The turns of a session. What belongs to none is never looked for by it.
CREATE INDEX "memory_entries_session_idx" ON "memory_entries" ("agent_id", "session_id", "created_at", "id")
    WHERE "session_id" IS NOT NULL;

-- Whoever writes an invocation, logs or remembers has locked the agent in the same statement, so a check for each of the
-- rows would find out nothing new, and costs a fifth of the statement. What the foreign keys did beside is done here.
CREATE FUNCTION "delete_history"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM "invocations" USING "deleted" WHERE "invocations"."agent_id" = "deleted"."id";
    DELETE FROM "log_entries" USING "deleted" WHERE "log_entries"."agent_id" = "deleted"."id";
    DELETE FROM "memory_entries" USING "deleted" WHERE "memory_entries"."agent_id" = "deleted"."id";
    RETURN NULL;
END
$$;

CREATE TRIGGER "agents_delete_history" AFTER DELETE ON "agents"
    REFERENCING OLD TABLE AS "deleted" FOR EACH STATEMENT EXECUTE FUNCTION "delete_history"();
