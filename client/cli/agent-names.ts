/** The agent column of tables: shows names where the API returns agent ids. */
import { type AgentHosting, ForbiddenError } from '../src/index.js';
import { pageSize } from '../src/generated/service.js';
import type { Column } from './table.js';

interface AgentScoped {
  agent_id: string | null;
}

/** Agents beyond this number are shown by id. */
const maxAgentsRead = 10 * pageSize;

export async function agentColumn<Row extends AgentScoped>(
  client: AgentHosting,
  rows: Row[],
): Promise<Column<Row>> {
  const ids = rows.flatMap(({ agent_id }) => agent_id ?? []);
  const names = ids.length === 0 ? new Map<string, string>() : await readNames(client, ids);
  return {
    title: 'agent',
    value: ({ agent_id }) => (agent_id === null ? 'all' : (names.get(agent_id) ?? agent_id)),
  };
}

/** Returns no names if the key may not read agents. */
async function readNames(client: AgentHosting, ids: string[]): Promise<Map<string, string>> {
  const missing = new Set(ids);
  const names = new Map<string, string>();
  let read = 0;
  try {
    for await (const { id, name } of client.agents.list({ limit: pageSize })) {
      names.set(id, name);
      missing.delete(id);
      read += 1;
      if (missing.size === 0 || read >= maxAgentsRead) break;
    }
  } catch (error) {
    if (!(error instanceof ForbiddenError)) throw error;
  }
  return names;
}
