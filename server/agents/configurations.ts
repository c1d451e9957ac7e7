/** The configuration that an invocation runs: the active deployment in production, or the draft if there is none. */
import type { AgentStatus } from '../../generated/api.js';
import type { Budget } from '../../generated/manifest.js';
import { TenantCache } from '../accounts/tenant-cache.js';
import type { AgentEndpoint, AgentOptions } from '../contract/agent-options.js';
import type { Database } from '../postgres/database.js';
import { agentLookup } from './agents.js';

export interface ActiveAgent {
  id: string;
  accountId: string;
  name: string;
  status: AgentStatus;
  /** Null: the draft runs. */
  deploymentId: string | null;
  model: string;
  /** Null: none is sent to the model. */
  temperature: number | null;
  instructions: string;
  timeoutMs: number;
  historyLimit: number;
  /** For an `http/…` agent. */
  endpoint: AgentEndpoint | null;
  options: AgentOptions;
  /** The agent's current budget; deployments do not include it. */
  budget: Budget | null;
  accountBudget: Budget | null;
}

export interface AgentConfigurations {
  /** By the agent's id or name within the account. */
  find: (accountId: string, reference: string) => Promise<ActiveAgent | undefined>;
  cache: TenantCache<ActiveAgent>;
}

export function createAgentConfigurations(database: Database): AgentConfigurations {
  const cache = new TenantCache<ActiveAgent>({
    dependsOn: (agent, id) => agent.id === id || agent.accountId === id,
  });
  return {
    cache,
    find: (accountId, reference) =>
      cache.get(`${accountId} ${reference}`, () =>
        findActiveAgent(database, { accountId, reference }),
      ),
  };
}

const active = (field: string) => `CASE WHEN d.id IS NULL THEN a.${field} ELSE d.${field} END`;

// Read from the policy, which is never part of a deployment: a rollback must not restore an old certificate.
const clientCertificate = `
  CASE WHEN a.policy #> '{security,mtls,clientCert}' IS NULL THEN '{}'::jsonb
       ELSE jsonb_build_object('clientCertificate', jsonb_build_object(
              'certFile', a.policy #> '{security,mtls,clientCert}',
              'keyFile', a.policy #> '{security,mtls,clientKey}'))
  END`;

export const findActiveAgent = agentLookup<ActiveAgent>(
  'active_agent',
  `a.id, a.account_id AS "accountId", a.name, a.status, d.id AS "deploymentId",
   ${active('model')} AS model,
   ${active('temperature')} AS temperature,
   ${active('instructions')} AS instructions,
   ${active('timeout_ms')} AS "timeoutMs",
   ${active('history_limit')} AS "historyLimit",
   ${active('endpoint')} || ${clientCertificate} AS endpoint,
   ${active('options')} AS options, a.budget,
   (SELECT budget FROM accounts WHERE id = a.account_id) AS "accountBudget"`,
);
