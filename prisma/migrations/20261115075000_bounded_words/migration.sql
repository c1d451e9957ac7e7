-- What Prisma cannot express ------------------------------------------------------------------------------------------

-- As before, but one entry is found by 2 000 of its words at most: an entry of random words would otherwise take many times
-- its own size in the index. Entries that are indexed already keep the keys that they have.
CREATE OR REPLACE FUNCTION "memory_keys"("agent_id" text, "user_id" text, "search" tsvector) RETURNS bigint[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL RESTRICTED COST 1000 AS $$
DECLARE
    "seed" bigint := hashtextextended("agent_id", 0);
    "keys" bigint[] := '{}';
    "lexeme" text;
BEGIN
    FOREACH "lexeme" IN ARRAY (tsvector_to_array("search"))[1:2000] LOOP
        "keys" := "keys" || hashtextextended('word:' || "lexeme", "seed");
    END LOOP;
    IF "user_id" IS NOT NULL THEN
        "keys" := "keys" || hashtextextended('user:' || "user_id", "seed");
    END IF;
    RETURN "keys";
END
$$;
