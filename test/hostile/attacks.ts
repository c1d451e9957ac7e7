/** What a hostile tenant, or a stranger, does to a service at full speed. */
import { randomBytes } from 'node:crypto';
import { operations, type OperationId } from '../../generated/operations.js';
import { generateApiKey } from '../../server/lib/api-key.js';
import type { NewAgent } from '../invoke/world.js';
import { signToken, usualClaims } from '../helpers/tokens.js';
import type { Tenant } from '../helpers/service.js';
import type { Attack, HostileRequest } from './attacker.js';

/** The agents of the hostile tenant, by what happens to whoever asks them. */
export interface HostileAgents {
  echo: string;
  hang: string;
  long: string;
  drip: string;
  tokens: string;
}

export interface Arms {
  tenant: Tenant;
  agents: HostileAgents;
  /** The server of the attacker. */
  attacker: string;
}

export type NamedAttack = Omit<Attack, 'url' | 'milliseconds'> & { name: string };

export async function hostileAgents(tenant: Tenant, attacker: string): Promise<HostileAgents> {
  const make = async (agent: NewAgent) => (await tenant.newAgent(agent)).id;
  const asking = (behaviour: string): NewAgent => ({
    model: `http/${behaviour}`,
    endpoint: { url: `${attacker}/${behaviour}` },
  });
  return {
    echo: await make({}),
    hang: await make(asking('hang')),
    long: await make(asking('long')),
    drip: await make(asking('drip')),
    tokens: await make({ policy: { auth: { type: 'jwt', secret: `\${env:${secretVariable}}` } } }),
  };
}

/** The variable of the service with the secret for tokens. */
export const secretVariable = 'HOSTILE_TOKEN_SECRET';

const connections = 64;

export function attacks({ tenant: { key }, agents, attacker }: Arms): NamedAttack[] {
  const call = (operationId: OperationId, options: CallOptions = {}) =>
    requestTo(operationId, { key, ...options });
  const invoke = (agent_id: string, headers = {}) =>
    call('invokeAgent', { path: { agent_id }, headers, body: { message: 'hello' } });
  const path = { agent_id: agents.echo };

  return [
    {
      name: 'worst bodies',
      connections: 8,
      requests: [
        call('createWebhook', { body: { url: 'https://a.example', events: numbers(150_000) } }),
        call('createApiKey', { body: { name: 'key', permissions: numbers(150_000) } }),
        call('updateAgent', { path, body: unknownFields(80_000) }),
        call('invokeAgent', { path, body: { message: 'hello', context: unknownFields(80_000) } }),
      ],
    },
    {
      name: 'invalid requests',
      connections,
      requests: [
        call('invokeAgent', { path, body: '{"message":' }),
        call('invokeAgent', { path, body: { message: 1 } }),
        call('listAgents', { query: '?limit=-1&sort=none' }),
        { method: 'GET', path: `/${'x'.repeat(8_000)}`, headers: {} },
        { method: 'TRACE', path: '/v1/agents', headers: {} },
      ],
    },
    {
      name: 'unknown keys',
      connections,
      requests: Array.from({ length: 2_000 }, () =>
        requestTo('listAgents', { key: generateApiKey() }),
      ),
    },
    {
      name: 'forged tokens',
      connections,
      requests: Array.from({ length: 500 }, (_, n) => {
        const token = signToken(`not the secret ${n}, but as long as it`, usualClaims());
        return requestTo('getAgent', { key: token, path: { agent_id: agents.tokens } });
      }),
    },
    {
      name: 'valid requests',
      connections,
      requests: [call('getAgent', { path }), call('listAgents')],
    },
    {
      name: 'expensive reads',
      connections,
      requests: [
        call('getLogs', { path, query: '?limit=100&offset=100000&search=a' }),
        call('getMetrics', { path, query: '?metric=throughput&granularity=1m' }),
        call('searchMemory', { path, body: { query: words(30), limit: 50 } }),
      ],
    },
    {
      name: 'memory poisoning',
      connections: 16,
      requests: Array.from({ length: 60 }, (_, n) =>
        n % 3 === 0
          ? call('searchMemory', { path, body: { query: words(30) } })
          : call('invokeAgent', { path, body: { message: words(4_000) } }),
      ),
    },
    {
      name: 'large bodies',
      connections: 400,
      requests: [
        call('invokeAgent', {
          path: { agent_id: agents.hang },
          body: { message: 'hello', context: { text: 'x'.repeat(1_000_000) } },
        }),
      ],
    },
    { name: 'hanging invocations', connections: 300, requests: [invoke(agents.hang)] },
    {
      name: 'abandoned invocations',
      connections,
      requests: [invoke(agents.hang), invoke(agents.long)],
      abandonAfterMs: 50,
    },
    {
      name: 'queued invocations',
      connections,
      requests: [invoke(agents.hang, { prefer: 'respond-async' })],
    },
    { name: 'long answers', connections: 120, requests: [invoke(agents.long)] },
    { name: 'endless lines', connections: 32, requests: [invoke(agents.drip)] },
    {
      name: 'amplifying webhooks',
      connections: 16,
      requests: [
        call('createWebhook', { body: { url: `${attacker}/hang`, events: ['agent.completed'] } }),
        invoke(agents.echo),
      ],
    },
    {
      name: 'one idempotency key',
      connections,
      requests: [invoke(agents.echo, { 'idempotency-key': 'the same for all' })],
    },
    { name: 'slow senders', connections: 500, requests: [invoke(agents.echo)], isSlow: true },
  ];
}

interface CallOptions {
  key?: string;
  path?: Record<string, string>;
  query?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

function requestTo(operationId: OperationId, options: CallOptions): HostileRequest {
  const { key, path = {}, query = '', headers = {}, body } = options;
  const { method, path: template } = operations[operationId];
  return {
    method: method.toUpperCase(),
    path: template.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name] ?? name) + query,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  };
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

const unknownFields = (count: number) =>
  Object.fromEntries(numbers(count).map((n) => [`f${n}`, 1]));

const words = (count: number) =>
  Array.from({ length: count }, () => randomBytes(4).toString('hex')).join(' ');
