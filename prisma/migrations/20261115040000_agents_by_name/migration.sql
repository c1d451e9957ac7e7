-- CreateIndex
CREATE INDEX "agents_name_idx" ON "agents"("name");
