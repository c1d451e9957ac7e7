-- AlterTable
ALTER TABLE "memory_entries" DROP COLUMN "embedding";

-- CreateTable
CREATE TABLE "memory_words" (
    "agent_id" TEXT COLLATE "C" NOT NULL,
    "word" TEXT COLLATE "C" NOT NULL,
    "entries" BIGINT NOT NULL,

    CONSTRAINT "memory_words_pkey" PRIMARY KEY ("agent_id","word")
);

-- CreateTable
CREATE TABLE "memory_embeddings" (
    "entry_id" TEXT COLLATE "C" NOT NULL,
    "model" TEXT NOT NULL,
    "embedding" REAL[],
    "signature" BIT VARYING NOT NULL,

    CONSTRAINT "memory_embeddings_pkey" PRIMARY KEY ("entry_id")
);

-- CreateIndex
CREATE INDEX "memory_entries_agent_id_id_idx" ON "memory_entries"("agent_id", "id");

-- AddForeignKey
ALTER TABLE "memory_words" ADD CONSTRAINT "memory_words_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "memory_embeddings" ADD CONSTRAINT "memory_embeddings_entry_id_fkey" FOREIGN KEY ("entry_id") REFERENCES "memory_entries"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- What Prisma cannot express ------------------------------------------------------------------------------------------

-- Trigrams of whole contents cost more to write than all the rest of an entry, and to search more the longer the
-- history is. Trigrams of the distinct words cost next to nothing and find the same misspellings.
DROP INDEX "memory_entries_search_idx";

-- Of three letters and fewer, almost any two are alike.
CREATE INDEX "memory_words_similar_idx" ON "memory_words" USING GIN ("agent_id", "word" gin_trgm_ops)
    WHERE length("word") > 3;

-- One key per word and one for the user, each hashed with the agent: the list of a key's entries is then all that has to
-- be read, and no list of all entries of an agent exists. Two things that share a key by accident are told apart by
-- whoever reads the entries.
CREATE FUNCTION "memory_key"("agent_id" text, "kind" text, "value" text) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN hashtextextended("kind" || "value", hashtextextended("agent_id", 0));

-- Dear, so that it is looked up and never computed for a whole table; and nothing for several processes to share, which
-- takes longer to begin than a search takes.
CREATE FUNCTION "memory_keys"("agent_id" text, "user_id" text, "search" tsvector) RETURNS bigint[]
    LANGUAGE sql IMMUTABLE PARALLEL RESTRICTED COST 1000
    RETURN ARRAY(
        SELECT "memory_key"("agent_id", 'word:', "lexeme") FROM unnest(tsvector_to_array("search")) AS "lexeme"
        UNION ALL
        SELECT "memory_key"("agent_id", 'user:', "user_id") WHERE "user_id" IS NOT NULL
    );

-- The list of what is not sorted in yet is read by every search, so it is kept short.
CREATE INDEX "memory_entries_keys_idx" ON "memory_entries"
    USING GIN ("memory_keys"("agent_id", "user_id", "search")) WITH (gin_pending_list_limit = 512);
