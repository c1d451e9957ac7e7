-- How many runs of agents have led to an asynchronous invocation over HTTP, so that agents that call each other do not nest forever.
ALTER TABLE "invocations" ADD COLUMN "hops" INTEGER NOT NULL DEFAULT 0;
