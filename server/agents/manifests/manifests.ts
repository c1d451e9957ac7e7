/** Applies manifests: creates agents, or updates the settings that differ. */
import { newId } from '../../lib/data/typeid.js';
import type { Connection, Database, Transaction } from '../../postgres/database.js';
import { lockAgent } from '../agents.js';
import { logConfigurationChange } from '../changes.js';
import { type AgentDraft, findDraft, insertAgent, replaceDraft } from '../drafts.js';
import { changedSchedules, findSchedules, replaceSchedules } from '../schedules.js';
import type { Schedule } from '../../../generated/manifest.js';
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
  const desired = manifests.map(desiredOf);
  // In the order of names, so that two concurrent calls cannot deadlock.
  const ordered = [...desired].sort((one, other) => (one.name < other.name ? -1 : 1));
  const results = await database.transaction(async (transaction) => {
    const applied = new Map<string, ManifestResult>();
    for (const agent of ordered) {
      applied.set(agent.name, await applyManifest(transaction, accountId, agent));
    }
    return applied;
  });
  return manifests.flatMap(({ name }) => results.get(name) ?? []);
}

/** What a manifest defines: a draft, which deployments freeze in part, and schedules. */
interface DesiredAgent {
  name: string;
  draft: AgentDraft;
  /** By name, as they are read back. */
  schedules: readonly Schedule[];
}

function desiredOf(manifest: ResolvedManifest): DesiredAgent {
  const { name, schedules = [] } = manifest;
  const byName = schedules.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return { name, draft: draftOf(manifest), schedules: byName };
}

async function applyManifest(
  transaction: Transaction,
  accountId: string,
  { name, draft, schedules }: DesiredAgent,
): Promise<ManifestResult> {
  // Locked first, so that the draft cannot change between comparing and replacing it.
  await lockAgent(transaction, { accountId, name });
  const current = await findDraft(transaction, accountId, name);
  if (!current) {
    const id = newId('agent');
    await insertAgent(transaction, { ...draft, id, accountId, name });
    const added = { before: [], after: schedules };
    await replaceSchedules(transaction, { accountId, agentId: id }, added);
    return { name, id, outcome: 'created', changed: [] };
  }
  const { id, ...before } = current;
  const agent = { accountId, agentId: id };
  const ownSchedules = await findSchedules(transaction, agent);
  const changed = [...changesBetween(before, draft), ...scheduleChanges(ownSchedules, schedules)];
  if (changed.length === 0) return { name, id, outcome: 'unchanged', changed: [] };
  await replaceDraft(transaction, id, draft);
  await replaceSchedules(transaction, agent, { before: ownSchedules, after: schedules });
  // There is no HTTP request behind this change, so it gets a new request id.
  await logConfigurationChange(transaction, {
    ...agent,
    requestId: newId('req'),
    before: { ...before, schedules: ownSchedules },
    after: { ...draft, schedules },
  });
  return { name, id, outcome: 'updated', changed: changed.map(({ setting }) => setting) };
}

function scheduleChanges(before: readonly Schedule[], after: readonly Schedule[]): SettingChange[] {
  const { from, to } = changedSchedules({ before, after });
  return from || to ? [{ setting: 'schedules', from, to }] : [];
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
  const { name, draft, schedules } = desiredOf(manifest);
  const current = await findDraft(connection, accountId, name);
  const own = current ? await findSchedules(connection, { accountId, agentId: current.id }) : [];
  return {
    name,
    exists: current !== undefined,
    changes: [...changesBetween(current, draft), ...scheduleChanges(own, schedules)],
  };
}
