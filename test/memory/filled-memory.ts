/** Adds memory entries to agents with the service's own code. */
import type { Database } from '../../server/postgres/database.js';
import { type Owner, recordHistory } from '../helpers/database/history.js';
import type { Tenant } from '../helpers/service/service.js';

export interface NewMemory {
  content: string;
  role?: 'user' | 'agent';
  userId?: string;
  sessionId?: string;
}

/** Records the messages in this order. */
export async function remember(
  database: Database,
  owner: Owner,
  messages: readonly (string | NewMemory)[],
): Promise<void> {
  for (const message of messages) {
    const said: NewMemory = typeof message === 'string' ? { content: message } : message;
    const { content, role = 'user', ...context } = said;
    await recordHistory(database, owner, [
      { at: Date.now(), durationMs: 1, failed: false, said: [{ content, role }], ...context },
    ]);
  }
}

/** A new agent of the tenant with these memory entries, in this order. */
export async function agentWithMemory(
  database: Database,
  tenant: Tenant,
  messages: readonly (string | NewMemory)[],
): Promise<string> {
  const { id } = await tenant.newAgent();
  await remember(database, { ...tenant, agentId: id }, messages);
  return id;
}
