-- The messages of a session of one user, of whom many may have a session of the same name.
CREATE INDEX "memory_entries_user_session_idx" ON "memory_entries" ("agent_id", "session_id", "user_id", "created_at", "id")
    WHERE "session_id" IS NOT NULL AND "user_id" IS NOT NULL;
