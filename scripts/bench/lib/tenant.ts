/** Creates an account to put load on. Each round uses a new one, whose rate-limit bucket is full. */
import { randomBytes } from 'node:crypto';
import type { Permission } from '../../../generated/api.js';
import { createAccount } from '../../../server/domain/accounts.js';
import { issueKey } from '../../../server/domain/keys/keys.js';
import type { Secrets } from '../../../server/lib/secrets.js';
import { everyPermission } from '../../../server/lib/permissions.js';
import { type Tier, tiers } from '../../../server/lib/tiers.js';
import { newId } from '../../../server/lib/typeid.js';
import { echoModel } from '../../../server/runtime/providers/echo.js';
import { insertAgent } from '../../../server/store/agent-drafts.js';
import type { Database } from '../../../server/store/database.js';

export interface BenchTenant {
  accountId: string;
  /** The agent that was created last. */
  agentId: string;
  headers: { authorization: string };
}

export interface TenantOptions {
  agents?: number;
  /** What its agents are, other than echoes. */
  agent?: { model: string; endpoint: object };
  tier?: Tier;
  permissions?: readonly Permission[];
}

/** The number of requests in a round, with a margin below the burst of the account. */
export const requestsPerRound = tiers.enterprise.burst - 1_000;

export async function newTenant(
  database: Database,
  secrets: Secrets,
  { agents = 1, agent, tier = 'enterprise', permissions = everyPermission }: TenantOptions = {},
): Promise<BenchTenant> {
  const name = `bench-${randomBytes(6).toString('hex')}`;
  const { id: accountId } = await createAccount(database, { name, tier });
  let agentId = '';
  for (let count = 0; count < agents; count += 1) {
    agentId = newId('agent');
    await insertAgent(database, {
      id: agentId,
      accountId,
      name: `agent-${count}`,
      model: echoModel,
      ...agent,
    });
  }
  const { key } = await issueKey(database, secrets, {
    accountId,
    agentId: null,
    name,
    permissions: [...permissions],
    createdBy: null,
    expiresAt: null,
  });
  return { accountId, agentId, headers: { authorization: `Bearer ${key}` } };
}
