-- Stop all instances before it: an earlier version cannot search or count words afterwards. It writes every memory entry anew.

-- compatible: the release before counts words in it; see above.
ALTER TABLE "memory_words" DROP COLUMN "entries",
ADD COLUMN     "said_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
ALTER TABLE "memory_words" ALTER COLUMN "said_at" DROP DEFAULT;

-- What Prisma cannot express ------------------------------------------------------------------------------------------

-- Only words that a misspelt one may stand for.
DELETE FROM "memory_words" WHERE length("word") <= 3;
DELETE FROM "settings" WHERE "key" = 'memory_words_forgotten';

DROP TRIGGER "memory_entries_delete_embeddings" ON "memory_entries";
DROP FUNCTION "delete_embeddings"();

DROP INDEX "memory_entries_keys_idx";
DROP FUNCTION "memory_keys"(text, text, tsvector);
DROP FUNCTION "memory_key"(text, text, text);

-- All words of a text of up to 256 KiB, and those at the beginning of a longer one: as many characters as 256 KiB hold if all bytes
-- beyond one per character are among them. A tsvector holds 1 MiB, and to_tsvector fails beyond: it takes up to 3.5 bytes for each
-- byte of a text of short words with hyphens, which count whole and in parts.
-- compatible: see above.
ALTER TABLE "memory_entries" DROP COLUMN "search";
-- compatible: see above.
ALTER TABLE "memory_entries" ADD COLUMN "search" tsvector GENERATED ALWAYS AS (
    to_tsvector('english', left("content", greatest(65536, 262144 + length("content") - octet_length("content"))))
) STORED;

-- Every search reads the list of what is not sorted in yet, so it is kept short. The condition, which always holds, makes it an index
-- that Prisma leaves alone: it knows none of this kind with columns of text.
-- compatible: see above.
CREATE INDEX "memory_entries_search_idx" ON "memory_entries"
    USING GIN ("agent_id", "user_id", "search") WITH (gin_pending_list_limit = 512) WHERE "search" IS NOT NULL;
-- compatible: see above.
CREATE INDEX "memory_entries_user_idx" ON "memory_entries" ("agent_id", "user_id", "id") WHERE "user_id" IS NOT NULL;
