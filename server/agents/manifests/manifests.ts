/** Applies manifests: creates agents, or updates the settings that differ. */
import { newId } from '../../lib/data/typeid.js';
import type { Connection, Database, Transaction } from '../../postgres/database.js';
import { lockAgent } from '../agents.js';
import { logConfigurationChange } from '../changes.js';
import { type AgentDraft, findDraft, insertAgent, replaceDraft } from '../drafts.js';
import {
  changesBetween,
  draftOf,
  type ResolvedManifest,
  type SettingChange,
} from './conversion.js';

export interface ManifestResult {
  name: string;
  id: string;
  outcome: 'created' | 'updated' | 'unchanged';
  /** The names of the settings that changed. */
  changed: string[];
}

/** Applies all manifests or none. The caller must have checked that the service can run the models. */
export async function applyManifests(
  database: Database,
  accountId: string,
  manifests: readonly ResolvedManifest[],
): Promise<ManifestResult[]> {
  const desired = manifests.map((manifest) => ({ name: manifest.name, draft: draftOf(manifest) }));
  // In the order of names, so that two concurrent calls cannot deadlock.
  const ordered = [...desired].sort((one, other) => (one.name < other.name ? -1 : 1));
  const results = await database.transaction(async (transaction) => {
    const applied = new Map<string, ManifestResult>();
    for (const { name, draft } of ordered) {
      applied.set(name, await applyDraft(transaction, accountId, name, draft));
    }
    return applied;
  });
  return manifests.flatMap(({ name }) => results.get(name) ?? []);
}

async function applyDraft(
  transaction: Transaction,
  accountId: string,
  name: string,
  desired: AgentDraft,
): Promise<ManifestResult> {
  // Locked first, so that the draft cannot change between comparing and replacing it.
  await lockAgent(transaction, { accountId, name });
  const current = await findDraft(transaction, accountId, name);
  if (!current) {
    const id = newId('agent');
    await insertAgent(transaction, { ...desired, id, accountId, name });
    return { name, id, outcome: 'created', changed: [] };
  }
  const { id, ...before } = current;
  const changed = changesBetween(before, desired);
  if (changed.length === 0) return { name, id, outcome: 'unchanged', changed: [] };
  await replaceDraft(transaction, id, desired);
  // There is no HTTP request behind this change, so it gets a new request id.
  const change = { accountId, agentId: id, requestId: newId('req'), before, after: desired };
  await logConfigurationChange(transaction, change);
  return { name, id, outcome: 'updated', changed: changed.map(({ setting }) => setting) };
}

/** The agents that the manifests have as tools, and that neither exist in the account nor are among the manifests. */
export async function findMissingAgents(
  { prisma }: Connection,
  accountId: string,
  manifests: readonly Pick<ResolvedManifest, 'name' | 'tools'>[],
): Promise<Set<string>> {
  const asked = manifests.flatMap(({ tools }) => tools?.agents ?? []).map(({ name }) => name);
  if (asked.length === 0) return new Set();
  const found = await prisma.agent.findMany({
    where: { accountId, name: { in: asked } },
    select: { name: true },
  });
  const known = new Set([...found, ...manifests].map(({ name }) => name));
  return new Set(asked.filter((name) => !known.has(name)));
}

export interface ManifestDifference {
  name: string;
  /** False if applying the manifest creates the agent. */
  exists: boolean;
  changes: SettingChange[];
}

/** Shows what applying the manifest would change. */
export async function compareManifest(
  connection: Connection,
  accountId: string,
  manifest: ResolvedManifest,
): Promise<ManifestDifference> {
  const { name } = manifest;
  const current = await findDraft(connection, accountId, name);
  return {
    name,
    exists: current !== undefined,
    changes: changesBetween(current, draftOf(manifest)),
  };
}
