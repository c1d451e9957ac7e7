/** Opens semantic search over memory, if an embedding model is configured. */
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { createSemanticSearch, type SemanticSearch } from '../domain/memory/semantic-search.js';
import { createEmbeddingModel } from '../runtime/embedding.js';
import type { Database } from '../store/postgres/database.js';

export async function openSemanticSearch(
  { models }: Config,
  database: Database,
  log: Logger,
): Promise<SemanticSearch | undefined> {
  if (models.embeddingModel === undefined) return undefined;
  const model = createEmbeddingModel(models.embeddingModel, models);
  return createSemanticSearch(database, model, (error) => {
    log.warn({ err: error }, 'the embedding model failed; fell back to full-text search');
  });
}
