/** The attacks of a hostile tenant or an anonymous client at full speed. */
import { randomBytes, randomUUID } from 'node:crypto';
import { operations, type OperationId } from '../../generated/operations.js';
import { generateApiKey } from '../../server/keys/api-key.js';
import type { NewAgent } from '../invocations/service-with-model.js';
import { signToken, usualClaims } from '../helpers/crypto/tokens.js';
import { type PastInvocation, recordHistory } from '../helpers/database/history.js';
import type { Tenant, TestService } from '../helpers/service/service.js';
import type { Attack, HostileRequest } from './attacker.js';

/** The agents of the hostile tenant, by how they treat a request. */
interface HostileAgents {
  echo: string;
  hang: string;
  long: string;
  drip: string;
  tokens: string;
}

export interface AttackContext {
  agents: HostileAgents;
  /** The URL of the attacker's server. */
  attacker: string;
  /** A request with the hostile tenant's key. */
  call: (operationId: OperationId, options?: CallOptions) => HostileRequest;
  invoke: (agentId: string, headers?: Record<string, string>) => HostileRequest;
  /** A request to its own agent that answers immediately. */
  own: { path: { agent_id: string } };
}

export type Plan = Omit<Attack, 'url' | 'milliseconds'>;

export async function prepareAttacks(
  { database }: Pick<TestService, 'database'>,
  tenant: Tenant,
  attacker: string,
): Promise<AttackContext> {
  const agents = await hostileAgents(tenant, attacker);
  await recordHistory(
    database,
    { accountId: tenant.accountId, agentId: agents.hang },
    numbers(longTexts).map((n) => longTurn(sessionOf(n))),
  );
  const call: AttackContext['call'] = (operationId, options) =>
    requestTo(operationId, tenant.key, options);
  return {
    agents,
    attacker,
    call,
    invoke: (agent_id, headers = {}) =>
      call('invokeAgent', { path: { agent_id }, headers, body: { message: 'hello' } }),
    own: { path: { agent_id: agents.echo } },
  };
}

async function hostileAgents(tenant: Tenant, attacker: string): Promise<HostileAgents> {
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

/** The service variable with the JWT secret. */
export const secretVariable = 'HOSTILE_TOKEN_SECRET';

/** The attacks by name. */
export const attacks: Record<string, (context: AttackContext) => Plan> = {
  'worst bodies': ({ call, own }) => ({
    connections: 8,
    requests: [
      call('createWebhook', { body: { url: 'https://a.example', events: numbers(150_000) } }),
      call('createApiKey', { body: { name: 'key', permissions: numbers(150_000) } }),
      call('updateAgent', { ...own, body: unknownFields(80_000) }),
      call('invokeAgent', { ...own, body: { message: 'hello', context: unknownFields(80_000) } }),
    ],
  }),
  'large bodies': ({ call, agents }) => ({
    connections: 100,
    requests: [
      call('invokeAgent', {
        path: { agent_id: agents.hang },
        body: { message: 'hello', context: { text: 'x'.repeat(1_000_000) } },
      }),
    ],
  }),
  'invalid requests': ({ call, own }) => ({
    connections: many,
    requests: [
      call('invokeAgent', { ...own, body: '{"message":' }),
      call('invokeAgent', { ...own, body: { message: 1 } }),
      call('listAgents', { query: '?limit=-1&sort=none' }),
      { method: 'GET', path: `/${'x'.repeat(8_000)}`, headers: {} },
      { method: 'TRACE', path: '/v1/agents', headers: {} },
    ],
  }),
  'unknown keys': () => ({
    connections: many,
    requests: Array.from({ length: 2_000 }, () => requestTo('listAgents', generateApiKey())),
  }),
  'forged tokens': ({ agents }) => ({
    connections: many,
    requests: Array.from({ length: 500 }, (_, n) => {
      const token = signToken(`not the secret ${n}, but as long as it`, usualClaims());
      return requestTo('getAgent', token, { path: { agent_id: agents.tokens } });
    }),
  }),
  'valid requests': ({ call, own }) => ({
    connections: many,
    requests: [call('getAgent', own), call('listAgents')],
  }),
  'expensive reads': ({ call, own }) => ({
    connections: many,
    requests: [
      call('getLogs', { ...own, query: '?limit=100&offset=100000' }),
      call('getMetrics', { ...own, query: '?metric=throughput&granularity=1m' }),
      call('searchMemory', { ...own, body: { query: words(30), limit: 50 } }),
    ],
  }),
  'memory poisoning': ({ call, own }) => ({
    connections: 16,
    requests: Array.from({ length: 60 }, (_, n) =>
      n % 3 === 0
        ? call('searchMemory', { ...own, body: { query: words(30) } })
        : call('invokeAgent', { ...own, body: { message: words(4_000) } }),
    ),
  }),
  'hanging invocations': ({ invoke, agents }) => ({
    connections: 300,
    requests: [invoke(agents.hang)],
  }),
  'abandoned invocations': ({ invoke, agents }) => ({
    connections: many,
    requests: [invoke(agents.hang), invoke(agents.long)],
    abandonAfterMs: 50,
  }),
  'queued invocations': ({ invoke, agents }) => ({
    connections: many,
    requests: [invoke(agents.hang, { prefer: 'respond-async' })],
  }),
  'long answers': ({ invoke, agents }) => ({ connections: 120, requests: [invoke(agents.long)] }),
  'searches of long texts': ({ call, agents }) => ({
    connections: 16,
    requests: [
      call('searchMemory', {
        path: { agent_id: agents.hang },
        body: { query: longTextWord, limit: 100 },
      }),
    ],
  }),
  'long histories': ({ call, agents }) => ({
    connections: 300,
    requests: numbers(longTexts).map((n) =>
      call('invokeAgent', {
        path: { agent_id: agents.hang },
        body: { message: 'hello', context: { session_id: sessionOf(n) } },
      }),
    ),
  }),
  'replayed long answers': ({ invoke, agents }) => ({
    connections: many,
    requests: [invoke(agents.long, { 'idempotency-key': randomUUID() })],
  }),
  'replayed long streams': ({ invoke, agents }) => ({
    connections: many,
    requests: [
      invoke(agents.long, { 'idempotency-key': randomUUID(), accept: 'text/event-stream' }),
    ],
  }),
  'endless lines': ({ invoke, agents }) => ({ connections: 32, requests: [invoke(agents.drip)] }),
  'amplifying webhooks': ({ call, invoke, agents, attacker }) => ({
    connections: 16,
    requests: [
      call('createWebhook', { body: { url: `${attacker}/hang`, events: ['agent.completed'] } }),
      invoke(agents.echo),
    ],
  }),
  'one idempotency key': ({ invoke, agents }) => ({
    connections: many,
    requests: [invoke(agents.echo, { 'idempotency-key': randomUUID() })],
  }),
  'slow senders': ({ invoke, agents }) => ({
    connections: 200,
    requests: [invoke(agents.echo)],
    isSlow: true,
  }),
};

const many = 64;

interface CallOptions {
  path?: Record<string, string>;
  query?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

function requestTo(
  operationId: OperationId,
  credential: string,
  { path = {}, query = '', headers = {}, body }: CallOptions = {},
): HostileRequest {
  const { method, path: template } = operations[operationId];
  return {
    method: method.toUpperCase(),
    path: template.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name] ?? name) + query,
    headers: {
      authorization: `Bearer ${credential}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  };
}

/** Each in a new session. */
const longTexts = 60;
const longTextWord = 'parcel';
const sessionOf = (n: number) => `session-${n}`;

function longTurn(sessionId: string): PastInvocation {
  const answer = `The ${longTextWord} is ${'x'.repeat(262_000)}`;
  return {
    at: Date.now(),
    durationMs: 1,
    failed: false,
    sessionId,
    said: [
      { role: 'user', content: 'hello' },
      { role: 'agent', content: answer },
    ],
  };
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

const unknownFields = (count: number) =>
  Object.fromEntries(numbers(count).map((n) => [`f${n}`, 1]));

const words = (count: number) =>
  Array.from({ length: count }, () => randomBytes(4).toString('hex')).join(' ');
