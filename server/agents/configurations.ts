/** The configuration that an invocation runs: the deployment that is active in its environment, or the draft. */
import type { AgentStatus } from '../../generated/api.js';
import type { Budget } from '../../generated/manifest.js';
import { TenantCache } from '../accounts/tenant-cache.js';
import type { AgentEndpoint, AgentOptions } from '../contract/agent-options.js';
import { draft, production } from '../contract/environments.js';
import type { Database, Queryable } from '../postgres/database.js';
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

export interface AgentKey {
  accountId: string;
  /** The agent's id or name within the account. */
  reference: string;
  /** Null: production. */
  environment: string | null;
}

export interface AgentConfigurations {
  /** Undefined if there is no such agent, or nothing is deployed to the environment. */
  find: (agent: AgentKey) => Promise<ActiveAgent | undefined>;
  cache: TenantCache<ActiveAgent>;
}

export function createAgentConfigurations(database: Database): AgentConfigurations {
  const cache = new TenantCache<ActiveAgent>({
    dependsOn: (agent, id) => agent.id === id || agent.accountId === id,
  });
  return {
    cache,
    find: ({ accountId, reference, environment }) =>
      cache.get(`${accountId} ${reference} ${environment ?? production}`, async () => {
        const agent = await findActiveAgent(database, { accountId, reference, environment });
        // Not kept: otherwise anyone could fill the cache with names of environments.
        return agent && runs(agent, environment) ? agent : undefined;
      }),
  };
}

/** Before its first deployment, an agent runs in production with its draft, but in no other environment. */
function runs({ deploymentId }: ActiveAgent, environment: string | null): boolean {
  return environment === null || environment === draft || deploymentId !== null;
}

const active = (field: string) => `CASE WHEN d.id IS NULL THEN a.${field} ELSE d.${field} END`;

// Read from the policy, which is never part of a deployment: a rollback must not restore an old certificate.
const clientCertificate = `
  CASE WHEN a.policy #> '{security,mtls,clientCert}' IS NULL THEN '{}'::jsonb
       ELSE jsonb_build_object('clientCertificate', jsonb_build_object(
              'certFile', a.policy #> '{security,mtls,clientCert}',
              'keyFile', a.policy #> '{security,mtls,clientKey}'))
  END`;

const findAgentIn = agentLookup<ActiveAgent>(
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

/** With the draft if nothing is deployed to the environment. */
export function findActiveAgent(
  database: Queryable,
  { environment, ...agent }: AgentKey,
): Promise<ActiveAgent | undefined> {
  // Releases before this one let agents be deployed to `draft`, where nothing ran them.
  const deployedTo = environment === draft ? '' : (environment ?? production);
  return findAgentIn(database, { ...agent, environment: deployedTo });
}
