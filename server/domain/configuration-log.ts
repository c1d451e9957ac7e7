/** Notes in an agent's log which settings of its draft configuration changed, and how. */
import { isDeepStrictEqual } from 'node:util';
import { newId } from '../lib/typeid.js';
import type { AgentDraft } from '../store/agent-drafts.js';
import type { Transaction } from '../store/database.js';
import { insertLogEntries } from '../store/log-entries.js';

/** The settings by their public names, and whether their values may stand in a log that many people read. */
const settings: Record<keyof AgentDraft, { name: string; isShown: boolean }> = {
  model: { name: 'model', isShown: true },
  temperature: { name: 'temperature', isShown: true },
  timeoutMs: { name: 'timeout_ms', isShown: true },
  historyLimit: { name: 'history', isShown: true },
  instructions: { name: 'instructions', isShown: false },
  endpoint: { name: 'endpoint', isShown: false },
  policy: { name: 'policy', isShown: false },
};

export interface ConfigurationChange {
  agentId: string;
  requestId: string;
  before: AgentDraft;
  after: AgentDraft;
}

/** In the transaction of the change, so that no change goes unnoted. Writes nothing if nothing differs. */
export async function noteConfigurationChange(
  transaction: Transaction,
  { agentId, requestId, before, after }: ConfigurationChange,
): Promise<void> {
  const changed = differences(before, after);
  if (changed.length === 0) return;
  const message = `Configuration changed: ${changed.map(inWords).join(', ')}.`;
  const metadata = { changes: Object.fromEntries(changed.map(({ name, ...how }) => [name, how])) };
  await insertLogEntries(transaction, [
    { id: newId('log'), agentId, at: new Date(), level: 'info', requestId, message, metadata },
  ]);
}

interface Difference {
  name: string;
  from?: unknown;
  to?: unknown;
}

function differences(before: AgentDraft, after: AgentDraft): Difference[] {
  return Object.entries(settings).flatMap(([setting, { name, isShown }]) => {
    const [from, to]: unknown[] = [before, after].map((draft) => Reflect.get(draft, setting));
    if (isDeepStrictEqual(from, to)) return [];
    return [isShown ? { name, from, to } : { name }];
  });
}

function inWords({ name, from, to }: Difference): string {
  return from === undefined ? name : `${name} from ${String(from)} to ${String(to)}`;
}
