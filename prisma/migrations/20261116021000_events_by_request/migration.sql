-- CreateIndex
CREATE INDEX "events_request_id_idx" ON "events"("request_id");
