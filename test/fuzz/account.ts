/** A separate account for a series of requests, with the model of its content. */
import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject } from '../../scripts/lib/json.js';
import type { Tenant, TestService } from '../helpers/service/service.js';
import { operationOf } from './contract.js';
import { answerOf, type FuzzRequest, type Transport } from './http.js';
import type { AgentRecord, KeyRecord, State } from './model/state.js';
import { absentId, Reference } from './reference.js';
import { freshKey, type Template } from './template.js';

export interface Account {
  state: State;
  /** The key with every permission. */
  main: KeyRecord;
  addAgent: () => Promise<void>;
  /** Resolves the references of a request, and chooses the key to send it with. */
  resolve: (template: Template) => { request: FuzzRequest; caller: KeyRecord };
}

const firstAgents = 2;

export async function openAccount(service: TestService, send: Transport): Promise<Account> {
  const tenant = await service.tenant();
  const state: State = { agents: [], keys: [], webhooks: [], stored: new Map() };
  const addAgent = async () => {
    state.agents.push(await agentOf(tenant, send));
  };
  for (let count = 0; count < firstAgents; count += 1) await addAgent();
  const { data } = await bodyAt<{ data: Omit<KeyRecord, 'isGone'>[] }>(
    send,
    tenant,
    'listApiKeys',
    {},
  );
  state.keys = data.map((key) => ({ ...key, isGone: false }));
  const [main] = state.keys;
  if (!main) throw new Error('The account has no key.');
  main.key = tenant.key;
  return {
    state,
    main,
    addAgent,
    resolve: (template) => {
      const caller = callerOf(state, main, template);
      return { request: resolved(state, main, template, caller.key ?? ''), caller };
    },
  };
}

function callerOf(state: State, main: KeyRecord, { caller, operation }: Template): KeyRecord {
  const own = state.keys.filter(({ key }) => key !== undefined);
  const find = (isWanted: (key: KeyRecord) => boolean): KeyRecord => {
    const found = own.find(isWanted);
    if (!found) throw new Error(`The account has no key that is ${String(caller)}.`);
    return found;
  };
  switch (caller) {
    case undefined:
      return main;
    case 'none':
      return { ...main, key: '', isGone: true };
    case 'unknown':
      return { ...main, key: `ahs_${'0'.repeat(46)}`, isGone: true };
    case 'revoked':
      return find(({ isGone }) => isGone);
    case 'unpermitted':
      return find(
        ({ isGone, permissions }) => !isGone && !permissions.includes(operation.permission),
      );
    default:
      return own.at(-1 - (caller % own.length)) ?? main;
  }
}

async function agentOf(tenant: Tenant, send: Transport): Promise<AgentRecord> {
  const { id } = await tenant.newAgent();
  const { data } = await bodyAt<{ data: AgentRecord }>(send, tenant, 'getAgent', { agent_id: id });
  return { ...data, isGone: false, deployments: [], memory: [], invocations: new Map() };
}

async function bodyAt<Body>(
  send: Transport,
  { key }: Tenant,
  operationId: string,
  path: Record<string, string>,
): Promise<Body> {
  const operation = operationOf(operationId);
  const answer = await send(requestOf({ operation, path, query: [], headers: {} }, key));
  const { status, body } = answerOf(answer.status, answer.headers, answer.text);
  if (status !== 200) throw new Error(`${operationId} answered ${status}: ${answer.text}`);
  return body as Body;
}

/** Replaces references with actual values. */
function resolved(state: State, main: KeyRecord, template: Template, key: string): FuzzRequest {
  const path: Template['path'] = {};
  for (const [name, value] of Object.entries(template.path)) {
    path[name] = follow(state, main, value, path['agent_id']);
  }
  const query = template.query.map(([name, value]): [string, unknown] => [
    name,
    follow(state, main, value),
  ]);
  const body = replaced(template.body, (reference) => follow(state, main, reference));
  return requestOf({ ...template, path, query, body }, key);
}

function requestOf(template: Template, key: string): FuzzRequest {
  const { operation, query, headers, body, raw } = template;
  const path = Object.fromEntries(
    Object.entries(template.path).map(([name, value]) => [name, String(value)]),
  );
  const address = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(path[name] ?? ''),
  );
  const search = query.map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`,
  );
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  return {
    operation,
    method: template.method ?? operation.method,
    target: search.length === 0 ? address : `${address}?${search.join('&')}`,
    path,
    query: Object.fromEntries(query.map(([name, value]) => [name, String(value)])),
    headers: withFreshKey(headers),
    // As the service will read it.
    ...(body === undefined ? {} : { body: JSON.parse(JSON.stringify(body)) as unknown }),
    ...(payload === undefined ? {} : { payload }),
    key,
  };
}

function withFreshKey(headers: Template['headers']): Template['headers'] {
  if (headers['Idempotency-Key'] !== freshKey) return headers;
  return { ...headers, 'Idempotency-Key': randomUUID() };
}

function replaced(value: unknown, follow: (reference: Reference) => unknown): unknown {
  if (value instanceof Reference) return follow(value);
  if (Array.isArray(value)) return value.map((item) => replaced(item, follow));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, replaced(member, follow)]);
  return Object.fromEntries(entries) as JsonObject;
}

function follow(state: State, main: KeyRecord, value: unknown, agentId?: unknown): unknown {
  if (!(value instanceof Reference)) return value;
  const found = candidates(state, main, value, agentId);
  const chosen = found[value.pick % found.length];
  if (!chosen) return absentId(value.kind);
  return value.by === 'name' && 'name' in chosen ? chosen.name : chosen.id;
}

function candidates(
  state: State,
  main: KeyRecord,
  { kind, isGone }: Reference,
  agentId: unknown,
): { id: string; name?: string }[] {
  const agents = state.agents.filter((agent) => agent.isGone === isGone);
  switch (kind) {
    case 'agent':
      return agents;
    case 'deployment':
      return state.agents
        .filter(({ id, name }) => agentId === undefined || id === agentId || name === agentId)
        .flatMap(({ deployments }) => deployments.toReversed());
    case 'webhook':
      return state.webhooks.filter((webhook) => webhook.isGone === isGone);
    case 'key':
      return state.keys.filter((key) => key !== main && key.isGone === isGone);
    case 'request':
      return state.agents.flatMap(({ invocations }) =>
        [...invocations.keys()].map((id) => ({ id })),
      );
  }
}
