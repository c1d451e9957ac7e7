-- The tool calls and results of a turn, how its answer ended, and the summary of earlier turns stand in the row of the answer, so that they
-- are cleared, erased and kept with it. No search reads them.
ALTER TABLE "memory_entries" ADD COLUMN "turn" JSONB;

-- Null: no temperature is sent to the model. Until now 1 was stored where none was set.
ALTER TABLE "agents" ALTER COLUMN "temperature" DROP NOT NULL, ALTER COLUMN "temperature" DROP DEFAULT;
ALTER TABLE "deployments" ALTER COLUMN "temperature" DROP NOT NULL;
UPDATE "agents" SET "temperature" = NULL WHERE "temperature" = 1;
UPDATE "deployments" SET "temperature" = NULL WHERE "temperature" = 1;
