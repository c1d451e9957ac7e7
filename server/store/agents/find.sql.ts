/**
 * Finds an agent by id or name, with the active deployment of an environment, or with its memory.
 * Why SQL: measured 4,100/s against 1,450/s with Prisma, whose enum cast prevents use of the active deployment index.
 */
import type { AgentStatus } from '../../../generated/api.js';
import type { Budget } from '../../../generated/manifest.js';
import type { AgentEndpoint } from '../../contract/agent-options.js';
import type { AgentOptions } from '../../contract/agent-options.js';
import { isId } from '../../lib/data/typeid.js';
import type { Queryable, Statement } from '../postgres/connection.js';
import type { AgentDraft } from './drafts.js';
import { type Memory, memoryIdSql } from '../memory/scope.sql.js';

export interface StoredAgent {
  id: string;
  name: string;
  status: AgentStatus;
  model: string;
  /** Null: none is sent to the model. */
  temperature: number | null;
  hasEndpoint: boolean;
  needsLanguageModel: boolean;
  activeDeploymentId: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Includes the draft configuration, which can be long. */
export type DescribedAgent = StoredAgent & AgentDraft;

/** The configuration that an invocation runs: the active deployment in production, or the draft if there is none. */
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

const production = 'production';

export async function findAgent(
  database: Queryable,
  accountId: string,
  reference: string,
  environment = production,
): Promise<StoredAgent | undefined> {
  const statement = isId('agent', reference) ? agent.byId : agent.byName;
  const [found] = await database.run<StoredAgent>(statement, [accountId, reference, environment]);
  return found;
}

export async function describeAgent(
  database: Queryable,
  accountId: string,
  reference: string,
): Promise<DescribedAgent | undefined> {
  const statement = isId('agent', reference) ? describedAgent.byId : describedAgent.byName;
  const [found] = await database.run<DescribedAgent>(statement, [accountId, reference, production]);
  return found;
}

export async function findActiveAgent(
  database: Queryable,
  accountId: string,
  reference: string,
): Promise<ActiveAgent | undefined> {
  const statement = isId('agent', reference) ? activeAgent.byId : activeAgent.byName;
  const [found] = await database.run<ActiveAgent>(statement, [accountId, reference, production]);
  return found;
}

/** Returns the agent's id and its current memory. */
export async function findAgentMemory(
  database: Queryable,
  accountId: string,
  reference: string,
): Promise<({ id: string } & Memory) | undefined> {
  const statement = isId('agent', reference) ? agentMemory.byId : agentMemory.byName;
  const [found] = await database.run<{ id: string } & Memory>(statement, [accountId, reference]);
  return found;
}

const activeDeployment = `LEFT JOIN deployments d ON d.agent_id = a.id AND d.environment = $3 AND d.status = 'active'`;

const agentColumns = `
  a.id, a.name, a.status, a.model, a.temperature, a.endpoint IS NOT NULL AS "hasEndpoint",
  a.options ?| '{tools,output,recall}' AS "needsLanguageModel",
  d.id AS "activeDeploymentId", a.created_at AS "createdAt", a.updated_at AS "updatedAt"`;

const agent = statements('agent', agentColumns, activeDeployment);

const describedAgent = statements(
  'described_agent',
  `${agentColumns}, a.instructions, a.timeout_ms AS "timeoutMs", a.history_limit AS "historyLimit",
   a.endpoint, a.options, a.budget, a.policy`,
  activeDeployment,
);

const agentMemory = statements(
  'agent_memory',
  `a.id, a.account_id AS "accountId", ${memoryIdSql('a')} AS "memoryId"`,
);

const active = (field: string) => `CASE WHEN d.id IS NULL THEN a.${field} ELSE d.${field} END`;

// Read from the policy, which is never part of a deployment: a rollback must not restore an old certificate.
const clientCertificate = `
  CASE WHEN a.policy #> '{security,mtls,clientCert}' IS NULL THEN '{}'::jsonb
       ELSE jsonb_build_object('clientCertificate', jsonb_build_object(
              'certFile', a.policy #> '{security,mtls,clientCert}',
              'keyFile', a.policy #> '{security,mtls,clientKey}'))
  END`;

const activeAgent = statements(
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
  activeDeployment,
);

function statements(
  name: string,
  columns: string,
  join = '',
): { byId: Statement; byName: Statement } {
  const by = (column: 'id' | 'name') => ({
    name: `${name}_by_${column}`,
    text: `
      SELECT ${columns}
        FROM agents a ${join}
       WHERE a.account_id = $1 AND a.${column} = $2`,
  });
  return { byId: by('id'), byName: by('name') };
}
