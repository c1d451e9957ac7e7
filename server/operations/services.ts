/** The dependencies of the operations. */
import type { Invocations } from '../domain/invocations/invocations.js';
import type { Streams } from '../domain/invocations/streams.js';
import type { SemanticSearch } from '../domain/memory/semantic-search.js';
import type { Secrets } from '../store/installation/key-ring.js';
import type { TargetPolicy } from '../lib/net/target-address.js';
import type { ModelRegistry } from '../runtime/registry.js';
import type { Database } from '../store/postgres/database.js';

export interface Services {
  database: Database;
  secrets: Secrets;
  models: ModelRegistry;
  invocations: Invocations;
  streams: Streams;
  /** Drops what this instance caches of the key or agent, so that a change takes effect before it is answered. */
  invalidate: (id: string) => void;
  /** Undefined if no embedding model is configured; memory is then searched by words only. */
  semanticSearch: SemanticSearch | undefined;
  /** The addresses that webhooks may have. */
  targets: TargetPolicy;
}
