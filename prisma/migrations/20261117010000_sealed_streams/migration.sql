-- Streams of before are in plain text. They cannot be resumed after this: their rows are deleted, rather than kept for a day.
TRUNCATE "stream_events";

-- compatible: no version was released that reads it
ALTER TABLE "stream_events" DROP COLUMN "data";
-- compatible: the table is empty, and no version was released that writes it
ALTER TABLE "stream_events" ADD COLUMN "sealed_data" BYTEA NOT NULL,
ADD COLUMN "drop_at" TIMESTAMPTZ(3);

-- What Prisma cannot express ------------------------------------------------------------------------------------------

-- As for other sealed values (20261115090000_sealed_keys).
-- compatible: the table is empty
ALTER TABLE "stream_events" ADD COLUMN "sealed_key" TEXT COLLATE "C" GENERATED ALWAYS AS (
    encode(substring("sealed_data" from 2 for 4), 'hex')
) STORED;

-- Few streams are not to be remembered.
-- compatible: the table is empty
CREATE INDEX "stream_events_drop_at_idx" ON "stream_events"("drop_at") WHERE "drop_at" IS NOT NULL;
