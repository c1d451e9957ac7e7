/** Logs what a caller or the operator changes about an agent, in the agent's own log. */
import { isDeepStrictEqual } from 'node:util';
import type { Schedule } from '../../generated/manifest.js';
import { newId } from '../lib/data/typeid.js';
import { currentDate } from '../lib/time/clock.js';
import { insertLogEntries, type NewLogEntry } from '../logs/logs.js';
import type { Transaction } from '../postgres/database.js';
import type { AgentDraft } from './drafts.js';

type AgentChange = Omit<NewLogEntry, 'id' | 'at' | 'level'> & { at?: Date };

/** Must run in the transaction of the change, so that both are committed or neither. */
export function logAgentChange(
  transaction: Transaction,
  { at = currentDate(), ...change }: AgentChange,
): Promise<void> {
  return insertLogEntries(transaction, [{ ...change, id: newId('log'), at, level: 'info' }]);
}

/** Settings whose values are logged, by their public names. */
const loggedSettings = {
  model: 'model',
  temperature: 'temperature',
  timeoutMs: 'timeout_ms',
  historyLimit: 'history',
} as const;

/** Settings whose values are too long or too confidential for a log. */
const redactedSettings = {
  instructions: 'instructions',
  endpoint: 'endpoint',
  options: 'options',
  budget: 'budget',
  policy: 'policy',
  schedules: 'schedules',
} as const;

/** What the log of a change compares. */
interface Configuration extends AgentDraft {
  /** Missing: they cannot have changed. */
  schedules?: readonly Schedule[];
}

interface ConfigurationChange {
  accountId: string;
  agentId: string;
  requestId: string;
  before: Configuration;
  after: Configuration;
}

/** Writes no entry if the configurations are equal. */
export async function logConfigurationChange(
  transaction: Transaction,
  { accountId, agentId, requestId, before, after }: ConfigurationChange,
): Promise<void> {
  const changed = differences(before, after);
  if (changed.length === 0) return;
  await logAgentChange(transaction, {
    accountId,
    agentId,
    requestId,
    message: `Configuration changed: ${changed.map(describeDifference).join(', ')}.`,
    metadata: { changes: Object.fromEntries(changed.map(({ name, ...values }) => [name, values])) },
  });
}

interface Difference {
  name: string;
  from?: string | number | null;
  to?: string | number | null;
}

function differences(before: Configuration, after: Configuration): Difference[] {
  const differs = (setting: keyof Configuration) =>
    !isDeepStrictEqual(before[setting], after[setting]);
  return [
    ...keysOf(loggedSettings)
      .filter(differs)
      .map((key) => ({ name: loggedSettings[key], from: before[key], to: after[key] })),
    ...keysOf(redactedSettings)
      .filter(differs)
      .map((key) => ({ name: redactedSettings[key] })),
  ];
}

function keysOf<Key extends string>(settings: Record<Key, string>): Key[] {
  return Object.keys(settings) as Key[];
}

function describeDifference({ name, from, to }: Difference): string {
  const shown = (value: string | number | null) => value ?? 'unset';
  return from === undefined || to === undefined
    ? name
    : `${name} from ${shown(from)} to ${shown(to)}`;
}
