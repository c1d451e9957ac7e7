/** Brings an agent into line with its manifest: makes it, or changes what differs. */
import { isDeepStrictEqual } from 'node:util';
import type { AgentManifest } from '../../../generated/manifest.js';
import { parseDuration } from '../../lib/duration.js';
import { newId } from '../../lib/typeid.js';
import type { ModelRegistry } from '../../runtime/registry.js';
import type { Database } from '../../store/database.js';
import * as store from '../../store/agent-drafts.js';
import { noteConfigurationChange } from './configuration-log.js';
import { invalid } from '../errors.js';

export interface Application {
  id: string;
  outcome: 'created' | 'updated' | 'unchanged';
  /** The settings that were changed. */
  changed: string[];
}

const maxTimeoutMs = 600_000;

export async function applyManifest(
  database: Database,
  models: ModelRegistry,
  accountId: string,
  manifest: AgentManifest,
): Promise<Application> {
  const wanted = configurationOf(models, manifest);
  return database.transaction(async (transaction) => {
    const present = await store.lockDraft(transaction, accountId, manifest.name);
    if (!present) {
      const id = newId('agent');
      await store.insertAgent(transaction, { ...wanted, id, accountId, name: manifest.name });
      return { id, outcome: 'created', changed: [] };
    }
    const { id, ...configuration } = present;
    const changed = Object.entries(wanted).flatMap(([setting, value]) =>
      isDeepStrictEqual(value, configuration[setting as keyof typeof wanted]) ? [] : [setting],
    );
    if (changed.length > 0) await store.replaceDraft(transaction, id, wanted);
    // Nothing asked for it over HTTP, so that the change gets a request id of its own.
    const change = { agentId: id, requestId: newId('req'), before: configuration, after: wanted };
    await noteConfigurationChange(transaction, change);
    return { id, outcome: changed.length > 0 ? 'updated' : 'unchanged', changed };
  });
}

function configurationOf(models: ModelRegistry, manifest: AgentManifest): store.AgentDraft {
  const { model, temperature, instructions, timeout, history, endpoint } = manifest;
  const problem = models.problemWith(model, { hasEndpoint: endpoint !== undefined });
  if (problem) throw invalid({ field: 'model', error: problem });
  const timeoutMs = parseDuration(timeout) ?? 0;
  if (timeoutMs < 1 || timeoutMs > maxTimeoutMs) {
    throw invalid({ field: 'timeout', error: 'must be from 1ms to 10m' });
  }
  return {
    model,
    temperature,
    instructions,
    timeoutMs,
    historyLimit: history,
    endpoint: endpoint ?? null,
    policy: policyOf(manifest),
  };
}

/** What guards the agent, apart from what it runs: a rollback must not bring back a weaker policy. */
function policyOf({ auth, security, mfa, roles }: AgentManifest): store.AgentDraft['policy'] {
  return {
    ...(auth ? { auth } : {}),
    ...(security ? { security } : {}),
    ...(mfa ? { mfa } : {}),
    ...(roles ? { roles } : {}),
  };
}
