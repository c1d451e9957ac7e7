-- Stop all instances before it: an earlier version cannot write to these tables afterwards. Nothing is copied: each table
-- becomes the oldest partition of its successor. It takes as long as building an index or two on them.

-- AlterEnum
ALTER TYPE "purged_table" ADD VALUE 'events';

-- DropForeignKey
ALTER TABLE "deliveries" DROP CONSTRAINT "deliveries_event_id_fkey";

-- DropForeignKey
ALTER TABLE "events" DROP CONSTRAINT "events_account_id_fkey";

-- DropForeignKey
ALTER TABLE "memory_embeddings" DROP CONSTRAINT "memory_embeddings_entry_id_fkey";

-- What Prisma cannot express ------------------------------------------------------------------------------------------

-- Every unique key names the agent or the account, so that rows of different ones can be kept on different servers.
ALTER TABLE "deliveries" ADD COLUMN "account_id" TEXT COLLATE "C";
UPDATE "deliveries" SET "account_id" = "events"."account_id" FROM "events" WHERE "events"."id" = "deliveries"."event_id";
ALTER TABLE "deliveries" ALTER COLUMN "account_id" SET NOT NULL;
ALTER TABLE "memory_embeddings" ADD COLUMN "agent_id" TEXT COLLATE "C";
UPDATE "memory_embeddings" SET "agent_id" = "memory_entries"."agent_id"
  FROM "memory_entries" WHERE "memory_entries"."id" = "memory_embeddings"."entry_id";
ALTER TABLE "memory_embeddings" ALTER COLUMN "agent_id" SET NOT NULL;

-- Replaced by indexes that the primary keys are, or by smaller ones.
ALTER TABLE "invocations" DROP CONSTRAINT "invocations_pkey";
ALTER TABLE "memory_entries" DROP CONSTRAINT "memory_entries_pkey";
ALTER TABLE "memory_embeddings" DROP CONSTRAINT "memory_embeddings_pkey";
ALTER TABLE "events" DROP CONSTRAINT "events_pkey";
ALTER TABLE "deliveries" DROP CONSTRAINT "deliveries_pkey";
DROP INDEX "memory_entries_agent_id_id_idx", "memory_entries_session_idx", "memory_entries_user_session_idx",
    "events_account_id_id_idx";

-- Makes a table the partition `…_past` of a new table of its name, which has no indexes yet.
CREATE FUNCTION pg_temp.partition_table("name" text, "key" text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    "index" text;
BEGIN
    FOR "index" IN SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() AND tablename = "name" LOOP
        EXECUTE format('ALTER INDEX %I RENAME TO %I', "index", replace("index", "name" || '_', "name" || '_past_'));
    END LOOP;
    EXECUTE format('ALTER TABLE %I RENAME TO %I', "name", "name" || '_past');
    EXECUTE format(
        'CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED) PARTITION BY RANGE (%I)',
        "name", "name" || '_past', "key");
END
$$;

SELECT pg_temp.partition_table('invocations', 'id'), pg_temp.partition_table('log_entries', 'logged_at'),
       pg_temp.partition_table('usage_rollups', 'bucket_start'), pg_temp.partition_table('memory_entries', 'id'),
       pg_temp.partition_table('memory_embeddings', 'entry_id'), pg_temp.partition_table('events', 'id'),
       pg_temp.partition_table('deliveries', 'event_id');

ALTER TABLE "invocations" ADD CONSTRAINT "invocations_pkey" PRIMARY KEY ("agent_id", "id");
CREATE INDEX "invocations_agent_id_created_at_idx" ON "invocations" ("agent_id", "created_at");
CREATE INDEX "invocations_account_queue_idx" ON "invocations" ("account_id", "available_at")
    WHERE "status" IN ('queued', 'running');
CREATE INDEX "invocations_session_queue_idx" ON "invocations" ("agent_id", "session_id", "id")
    WHERE "status" IN ('queued', 'running') AND "session_id" IS NOT NULL;

ALTER TABLE "log_entries" ADD CONSTRAINT "log_entries_pkey" PRIMARY KEY ("agent_id", "logged_at", "id");
CREATE INDEX "log_entries_agent_id_level_logged_at_id_idx" ON "log_entries" ("agent_id", "level", "logged_at", "id");
CREATE INDEX "log_entries_request_id_idx" ON "log_entries" ("request_id");

ALTER TABLE "usage_rollups" ADD CONSTRAINT "usage_rollups_pkey" PRIMARY KEY ("agent_id", "bucket_seconds", "bucket_start");

ALTER TABLE "memory_entries" ADD CONSTRAINT "memory_entries_pkey" PRIMARY KEY ("agent_id", "id");
CREATE INDEX "memory_entries_id_idx" ON "memory_entries" ("id");
CREATE INDEX "memory_entries_keys_idx" ON "memory_entries"
    USING GIN ("memory_keys"("agent_id", "user_id", "search")) WITH (gin_pending_list_limit = 512);
-- By id, in which order partitions are too: the newest messages of a session are then read from the newest partitions.
CREATE INDEX "memory_entries_session_idx" ON "memory_entries" ("agent_id", "session_id", "id")
    WHERE "session_id" IS NOT NULL;
CREATE INDEX "memory_entries_user_session_idx" ON "memory_entries" ("agent_id", "session_id", "user_id", "id")
    WHERE "session_id" IS NOT NULL AND "user_id" IS NOT NULL;

ALTER TABLE "memory_embeddings" ADD CONSTRAINT "memory_embeddings_pkey" PRIMARY KEY ("agent_id", "entry_id");

ALTER TABLE "events" ADD CONSTRAINT "events_pkey" PRIMARY KEY ("account_id", "id");
CREATE INDEX "events_request_id_idx" ON "events" ("request_id");

ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_pkey" PRIMARY KEY ("account_id", "event_id", "webhook_id");
CREATE INDEX "deliveries_webhook_id_last_attempt_at_idx" ON "deliveries" ("webhook_id", "last_attempt_at");
CREATE INDEX "deliveries_due_idx" ON "deliveries" ("next_attempt_at") WHERE "status" = 'pending';
CREATE INDEX "deliveries_webhook_due_idx" ON "deliveries" ("webhook_id", "next_attempt_at") WHERE "status" = 'pending';

-- The smallest id of that time, as in server/lib/typeid.ts: its first ten characters are the milliseconds.
CREATE FUNCTION pg_temp.lowest_id_at("prefix" text, "at" timestamptz) RETURNS text LANGUAGE sql RETURN
    "prefix" || '_' || (
        SELECT string_agg(
            substr('0123456789abcdefghjkmnpqrstvwxyz', ((floor(extract(epoch FROM "at") * 1000)::bigint >> "bits") & 31)::int + 1, 1),
            '' ORDER BY "bits" DESC)
          FROM generate_series(0, 45, 5) AS "bits"
    ) || repeat('0', 16);

-- Two partitions of each: the past up to the day after tomorrow, and what comes then. The service divides that further.
DO $$
DECLARE
    "today" timestamptz := date_trunc('day', now(), 'UTC');
    "bound" timestamptz := "today" + interval '2 days';
    "partitioned" record;
    "value" text;
    "has_later" boolean := true;
BEGIN
    CREATE TEMPORARY TABLE "partitioned_tables" ("name", "key", "prefix") ON COMMIT DROP AS VALUES
        ('invocations', 'id', 'req'), ('log_entries', 'logged_at', NULL), ('usage_rollups', 'bucket_start', NULL),
        ('memory_entries', 'id', 'mem'), ('memory_embeddings', 'entry_id', 'mem'), ('events', 'id', 'evt'),
        ('deliveries', 'event_id', 'evt');
    -- An instance whose clock is ahead may have written rows of days to come.
    WHILE "has_later" LOOP
        "has_later" := false;
        FOR "partitioned" IN SELECT * FROM "partitioned_tables" LOOP
            "value" := coalesce(pg_temp.lowest_id_at("partitioned"."prefix", "bound"), "bound"::text);
            EXECUTE format('SELECT %L OR EXISTS (SELECT FROM %I WHERE %I >= %L)',
                "has_later", "partitioned"."name" || '_past', "partitioned"."key", "value") INTO "has_later";
        END LOOP;
        IF "has_later" THEN
            "bound" := "today" + 2 * ("bound" - "today");
        END IF;
        IF "bound" > "today" + interval '100 years' THEN
            RAISE EXCEPTION 'A row is dated more than a hundred years ahead. Correct it, and start again.';
        END IF;
    END LOOP;
    FOR "partitioned" IN SELECT * FROM "partitioned_tables" LOOP
        "value" := coalesce(pg_temp.lowest_id_at("partitioned"."prefix", "bound"), "bound"::text);
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)',
            "partitioned"."name", "partitioned"."name" || '_past', "value");
        EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (MAXVALUE)',
            "partitioned"."name" || to_char("bound" AT TIME ZONE 'UTC', '"_p"YYYYMMDD'), "partitioned"."name", "value");
    END LOOP;
    DROP TABLE "partitioned_tables";
END
$$;

-- Instead of foreign keys, which would be checked row by row, and would keep partitions from being dropped.
CREATE FUNCTION "delete_embeddings"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM "memory_embeddings" USING "deleted"
     WHERE "memory_embeddings"."agent_id" = "deleted"."agent_id" AND "memory_embeddings"."entry_id" = "deleted"."id";
    RETURN NULL;
END
$$;

CREATE TRIGGER "memory_entries_delete_embeddings" AFTER DELETE ON "memory_entries"
    REFERENCING OLD TABLE AS "deleted" FOR EACH STATEMENT EXECUTE FUNCTION "delete_embeddings"();

CREATE FUNCTION "delete_deliveries"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM "deliveries" USING "deleted"
     WHERE "deliveries"."account_id" = "deleted"."account_id" AND "deliveries"."event_id" = "deleted"."id";
    RETURN NULL;
END
$$;

CREATE TRIGGER "events_delete_deliveries" AFTER DELETE ON "events"
    REFERENCING OLD TABLE AS "deleted" FOR EACH STATEMENT EXECUTE FUNCTION "delete_deliveries"();

-- What belongs to a deleted agent, as before; events belong to the account.
CREATE OR REPLACE FUNCTION "purge_agents"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "purges" ("table", "owner_id")
    SELECT "kind", "deleted"."id"
      FROM "deleted", unnest(enum_range(NULL::"purged_table")) AS "kind"
     WHERE "kind" NOT IN ('deliveries', 'memory_words', 'memory_entries', 'events')
    UNION ALL
    SELECT "kind", coalesce("deleted"."memory_id", "deleted"."id")
      FROM "deleted", unnest('{memory_words,memory_entries}'::"purged_table"[]) AS "kind";
    DELETE FROM "invocations" USING "deleted"
     WHERE "invocations"."account_id" = "deleted"."account_id" AND "invocations"."agent_id" = "deleted"."id"
       AND "invocations"."status" IN ('queued', 'running');
    RETURN NULL;
END
$$;

CREATE FUNCTION "purge_accounts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "purges" ("table", "owner_id") SELECT 'events', "id" FROM "deleted";
    RETURN NULL;
END
$$;

CREATE TRIGGER "accounts_purge" AFTER DELETE ON "accounts"
    REFERENCING OLD TABLE AS "deleted" FOR EACH STATEMENT EXECUTE FUNCTION "purge_accounts"();
