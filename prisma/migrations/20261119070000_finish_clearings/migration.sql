-- A user's entries are deleted before their clearing is answered. Until now the entries of a large memory were hidden first: this deletes
-- what is still hidden, while the instances of the previous release wait with the same.
SELECT pg_advisory_xact_lock(hashtextextended('task purge cleared memory', 0));

DELETE FROM "memory_embeddings" AS embedding
 USING "memory_entries" AS entry, "memory_clearances" AS cleared, "agents" AS agent
 WHERE agent."id" = cleared."agent_id"
   AND entry."account_id" = cleared."account_id" AND entry."agent_id" = COALESCE(agent."memory_id", agent."id")
   AND entry."user_id" = cleared."user_id" AND entry."epoch" <= cleared."epoch"
   AND embedding."account_id" = entry."account_id" AND embedding."agent_id" = entry."agent_id" AND embedding."entry_id" = entry."id";

DELETE FROM "memory_entries" AS entry
 USING "memory_clearances" AS cleared, "agents" AS agent
 WHERE agent."id" = cleared."agent_id"
   AND entry."account_id" = cleared."account_id" AND entry."agent_id" = COALESCE(agent."memory_id", agent."id")
   AND entry."user_id" = cleared."user_id" AND entry."epoch" <= cleared."epoch";

-- Searches no longer correct spelling: nothing needs the words that were learnt. Instances of the previous release find them again only as
-- they are used.
SELECT pg_advisory_xact_lock(hashtextextended('task learn words', 0));

DELETE FROM "memory_words";
