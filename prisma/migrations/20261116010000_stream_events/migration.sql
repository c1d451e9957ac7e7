-- AlterEnum
ALTER TYPE "purged_table" ADD VALUE 'stream_events';

-- AlterTable
ALTER TABLE "idempotency_records" ADD COLUMN     "followed_at" TIMESTAMPTZ(3),
ADD COLUMN     "is_stream" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "stop_requested" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "stream_events" (
    "stream_id" TEXT COLLATE "C" NOT NULL,
    "position" INTEGER NOT NULL,
    "idempotency_id" BYTEA NOT NULL,
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "event" TEXT COLLATE "C" NOT NULL,
    "data" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "stream_events_pkey" PRIMARY KEY ("stream_id","position")
);

-- CreateIndex
CREATE INDEX "stream_events_agent_id_idx" ON "stream_events"("agent_id");
