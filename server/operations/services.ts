/** What the operations work with. */
import type { AgentConfigurations } from '../domain/agents/configurations.js';
import type { Invocations } from '../domain/invocations/invocations.js';
import type { KeyCache } from '../domain/keys/key-cache.js';
import type { SemanticSearch } from '../domain/memory/semantic-search.js';
import type { Secrets } from '../lib/crypto.js';
import type { TargetPolicy } from '../lib/target-address.js';
import type { ModelRegistry } from '../runtime/registry.js';
import type { Database } from '../store/database.js';

export interface Services {
  database: Database;
  secrets: Secrets;
  models: ModelRegistry;
  keyCache: KeyCache;
  invocations: Invocations;
  /** What runs for each agent; whoever changes it forgets the agent here, so that the change counts at once. */
  configurations: AgentConfigurations;
  /** Undefined: memory is searched by words alone. */
  semanticSearch: SemanticSearch | undefined;
  /** Where webhooks may lead. */
  targets: TargetPolicy;
}
