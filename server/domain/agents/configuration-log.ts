/** Notes in an agent's log which settings of its draft configuration changed, and how. */
import { isDeepStrictEqual } from 'node:util';
import { newId } from '../../lib/typeid.js';
import type { AgentDraft } from '../../store/agent-drafts.js';
import type { Transaction } from '../../store/database.js';
import { insertLogEntries } from '../../store/log-entries.js';

/** Settings by their public names. */
const loggedSettings = {
  model: 'model',
  temperature: 'temperature',
  timeoutMs: 'timeout_ms',
  historyLimit: 'history',
} as const;

/** Their values are long or confidential, and a log has many readers. */
const redactedSettings = {
  instructions: 'instructions',
  endpoint: 'endpoint',
  policy: 'policy',
} as const;

export interface ConfigurationChange {
  agentId: string;
  requestId: string;
  before: AgentDraft;
  after: AgentDraft;
}

/** In the transaction of the change, so that no change goes unnoted. Writes nothing if nothing differs. */
export async function logConfigurationChange(
  transaction: Transaction,
  { agentId, requestId, before, after }: ConfigurationChange,
): Promise<void> {
  const changed = differences(before, after);
  if (changed.length === 0) return;
  const message = `Configuration changed: ${changed.map(describeDifference).join(', ')}.`;
  const metadata = { changes: Object.fromEntries(changed.map(({ name, ...how }) => [name, how])) };
  await insertLogEntries(transaction, [
    { id: newId('log'), agentId, at: new Date(), level: 'info', requestId, message, metadata },
  ]);
}

interface Difference {
  name: string;
  from?: string | number;
  to?: string | number;
}

function differences(before: AgentDraft, after: AgentDraft): Difference[] {
  const differs = (setting: keyof AgentDraft) =>
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
  return from === undefined || to === undefined ? name : `${name} from ${from} to ${to}`;
}
