-- Stop all instances before it: an earlier version cannot search or count words afterwards. It writes every memory entry anew.

-- compatible: the release before counts words in it; see above.
ALTER TABLE "memory_words" DROP COLUMN "entries",
ADD COLUMN     "said_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
ALTER TABLE "memory_words" ALTER COLUMN "said_at" DROP DEFAULT;

-- What Prisma cannot express ------------------------------------------------------------------------------------------

-- Only words that a misspelt one may stand for: of three letters and fewer, almost any two are alike.
DELETE FROM "memory_words" WHERE length("word") <= 3;
DROP INDEX "memory_words_similar_idx";
-- compatible: it has some thousand rows per agent; see above.
CREATE INDEX "memory_words_similar_idx" ON "memory_words" USING GIN ("agent_id", "word" gin_trgm_ops);
DELETE FROM "settings" WHERE "key" = 'memory_words_forgotten';

DROP TRIGGER "memory_entries_delete_embeddings" ON "memory_entries";
DROP FUNCTION "delete_embeddings"();

DROP INDEX "memory_entries_keys_idx";
DROP FUNCTION "memory_keys"(text, text, tsvector);
DROP FUNCTION "memory_key"(text, text, text);

-- All words of a text of up to 256 KiB, and those at the beginning of a longer one. A tsvector holds 1 MiB, and to_tsvector fails
-- beyond: it takes up to 3.5 bytes for each byte of a text of short words with hyphens, which count whole and in parts. So
-- 65,536 characters, which are 256 KiB at most, never fail either.
-- compatible: see above.
ALTER TABLE "memory_entries" DROP COLUMN "search";
-- compatible: see above.
ALTER TABLE "memory_entries" ADD COLUMN "search" tsvector GENERATED ALWAYS AS (
    to_tsvector('english', CASE WHEN octet_length("content") <= 262144 THEN "content" ELSE left("content", 65536) END)
) STORED;

-- Every search reads the list of what is not sorted in yet, so it is kept short.
-- compatible: see above.
CREATE INDEX "memory_entries_search_idx" ON "memory_entries"
    USING GIN ("agent_id", "search") WITH (gin_pending_list_limit = 512);
-- compatible: see above.
CREATE INDEX "memory_entries_user_idx" ON "memory_entries" ("agent_id", "user_id", "id") WHERE "user_id" IS NOT NULL;
