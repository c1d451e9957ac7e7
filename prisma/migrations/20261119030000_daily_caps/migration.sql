-- What an account stores and deploys in a day stands beside the tokens of its day. Constant defaults: no row is rewritten, and a
-- service of the previous release still inserts rows.
ALTER TABLE "budget_windows" ADD COLUMN "bytes" BIGINT NOT NULL DEFAULT 0, ADD COLUMN "deployments" INTEGER NOT NULL DEFAULT 0;
