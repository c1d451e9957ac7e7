/** The search by meaning, if the configuration names an embedding model. */
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { createSemanticSearch, type SemanticSearch } from '../domain/memory/semantic-search.js';
import { providerSettings } from './invocations.js';
import { createEmbeddingModel } from '../runtime/embedding.js';
import type { Database } from '../store/database.js';

export async function openSemanticSearch(
  config: Config,
  database: Database,
  log: Logger,
): Promise<SemanticSearch | undefined> {
  const name = config.models.embeddingModel;
  if (name === undefined) return undefined;
  return createSemanticSearch(
    database,
    createEmbeddingModel(name, providerSettings(config)),
    (error) => {
      log.warn({ err: error }, 'the embedding model did not answer; a search went by words alone');
    },
  );
}
