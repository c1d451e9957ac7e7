-- AlterTable
ALTER TABLE "session_leases" ADD COLUMN "waited" BOOLEAN NOT NULL DEFAULT false;

-- What Prisma cannot express ------------------------------------------------------------------------------------------

-- Whether an asynchronous turn is the oldest unfinished one of its session, which is the one that may be claimed.
CREATE INDEX "invocations_session_queue_idx" ON "invocations" ("agent_id", "session_id", "id")
    WHERE "status" IN ('queued', 'running') AND "session_id" IS NOT NULL;
