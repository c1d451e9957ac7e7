-- The trace that an asynchronous invocation and the deliveries of an event continue, as a W3C traceparent. Null: not traced.
ALTER TABLE "invocations" ADD COLUMN "trace_context" TEXT;
ALTER TABLE "events" ADD COLUMN "trace_context" TEXT;
