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

-- The same keys as before. SQL functions with a query inside are prepared anew by every statement, which took longer than
-- all the rest of indexing an entry. Maintenance and restores run it where memory_key is out of sight, so its formula
-- stands here as well.
CREATE OR REPLACE FUNCTION "memory_keys"("agent_id" text, "user_id" text, "search" tsvector) RETURNS bigint[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL RESTRICTED COST 1000 AS $$
DECLARE
    "seed" bigint := hashtextextended("agent_id", 0);
    "keys" bigint[] := '{}';
    "lexeme" text;
BEGIN
    FOREACH "lexeme" IN ARRAY tsvector_to_array("search") LOOP
        "keys" := "keys" || hashtextextended('word:' || "lexeme", "seed");
    END LOOP;
    IF "user_id" IS NOT NULL THEN
        "keys" := "keys" || hashtextextended('user:' || "user_id", "seed");
    END IF;
    RETURN "keys";
END
$$;
