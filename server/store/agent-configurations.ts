/**
 * What runs when an agent is invoked: the deployment that is active in production, or else the draft. Kept for less than
 * a second; a change is announced, and then counts at once on every instance.
 */
import type { AgentEndpoint } from '../lib/agent-endpoint.js';
import { createCache } from '../lib/cache.js';
import { isId } from '../lib/typeid.js';
import type { Sql, Statement } from './sql.js';

export interface ActiveAgent {
  id: string;
  accountId: string;
  name: string;
  status: 'running' | 'stopped';
  /** Null: the draft answers. */
  deploymentId: string | null;
  model: string;
  temperature: number;
  instructions: string;
  timeoutMs: number;
  historyLimit: number;
  /** For an `http/…` agent. */
  endpoint: AgentEndpoint | null;
}

export interface AgentConfigurations {
  /** By the agent's id or its name, within an account. */
  find: (accountId: string, reference: string) => Promise<ActiveAgent | undefined>;
  /** Forgets what is known of an agent that changed. */
  forget: (agentId: string) => void;
  forgetAll: () => void;
}

const keptMs = 900;
const maxKept = 10_000;

export function createAgentConfigurations(sql: Sql): AgentConfigurations {
  const known = createCache<ActiveAgent>({ ttlMs: keptMs, maxEntries: maxKept });
  return {
    find: (accountId, reference) =>
      known.get(`${accountId} ${reference}`, () => load(sql, accountId, reference)),
    forget: (agentId) => {
      known.invalidateWhere(({ id }) => id === agentId);
    },
    forgetAll: () => {
      known.clear();
    },
  };
}

async function load(
  sql: Sql,
  accountId: string,
  reference: string,
): Promise<ActiveAgent | undefined> {
  const statement = isId('agent', reference) ? byId : byName;
  const [agent] = await sql.run<ActiveAgent>(statement, [accountId, reference]);
  return agent;
}

// Part of the policy, which is never part of a deployment: a rollback must not bring an old certificate back.
const clientCertificate = `
  CASE WHEN a.policy #> '{security,mtls,clientCert}' IS NULL THEN '{}'::jsonb
       ELSE jsonb_build_object('clientCertificate', jsonb_build_object(
              'certFile', a.policy #> '{security,mtls,clientCert}',
              'keyFile', a.policy #> '{security,mtls,clientKey}'))
  END`;

const byId = select('active_agent_by_id', 'id');
const byName = select('active_agent_by_name', 'name');

function select(name: string, column: 'id' | 'name'): Statement {
  const active = (field: string) => `CASE WHEN d.id IS NULL THEN a.${field} ELSE d.${field} END`;
  return {
    name,
    text: `
      SELECT a.id, a.account_id AS "accountId", a.name, a.status, d.id AS "deploymentId",
             ${active('model')} AS model,
             ${active('temperature')} AS temperature,
             ${active('instructions')} AS instructions,
             ${active('timeout_ms')} AS "timeoutMs",
             ${active('history_limit')} AS "historyLimit",
             ${active('endpoint')} || ${clientCertificate} AS endpoint
        FROM agents a
        LEFT JOIN deployments d ON d.agent_id = a.id AND d.environment = 'production' AND d.status = 'active'
       WHERE a.account_id = $1 AND a.${column} = $2`,
  };
}
