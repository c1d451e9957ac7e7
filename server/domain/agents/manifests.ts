/** Applies a manifest: creates the agent, or updates the settings that differ. */
import { isDeepStrictEqual } from 'node:util';
import type { AgentManifest } from '../../../generated/manifest.js';
import { parseDuration } from '../../lib/duration.js';
import { newId } from '../../lib/typeid.js';
import type { ModelRegistry } from '../../runtime/registry.js';
import type { Database } from '../../store/database.js';
import * as store from '../../store/agent-drafts.js';
import { assertModel } from './agents.js';
import { logConfigurationChange } from './configuration-log.js';
import { invalid } from '../errors.js';

export interface ManifestResult {
  id: string;
  outcome: 'created' | 'updated' | 'unchanged';
  /** The names of the settings that changed. */
  changed: string[];
}

const maxTimeoutMs = 600_000;

export async function applyManifest(
  database: Database,
  models: ModelRegistry,
  accountId: string,
  manifest: AgentManifest,
): Promise<ManifestResult> {
  const desired = configurationOf(models, manifest);
  return database.transaction(async (transaction) => {
    const current = await store.lockDraft(transaction, accountId, manifest.name);
    if (!current) {
      const id = newId('agent');
      await store.insertAgent(transaction, { ...desired, id, accountId, name: manifest.name });
      return { id, outcome: 'created', changed: [] };
    }
    const { id, ...before } = current;
    const changed = Object.entries(desired).flatMap(([setting, value]) =>
      isDeepStrictEqual(value, before[setting as keyof typeof desired]) ? [] : [setting],
    );
    if (changed.length > 0) await store.replaceDraft(transaction, id, desired);
    // There is no HTTP request behind this change, so it gets a new request id.
    const change = { agentId: id, requestId: newId('req'), before, after: desired };
    await logConfigurationChange(transaction, change);
    return { id, outcome: changed.length > 0 ? 'updated' : 'unchanged', changed };
  });
}

function configurationOf(models: ModelRegistry, manifest: AgentManifest): store.AgentDraft {
  const { model, temperature, instructions, timeout, history, endpoint } = manifest;
  assertModel(models, { model, hasEndpoint: endpoint !== undefined });
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

/** Kept apart from what is deployed: a rollback must not restore a weaker policy. */
function policyOf({ auth, security, mfa, roles }: AgentManifest): store.AgentDraft['policy'] {
  return {
    ...(auth ? { auth } : {}),
    ...(security ? { security } : {}),
    ...(mfa ? { mfa } : {}),
    ...(roles ? { roles } : {}),
  };
}
