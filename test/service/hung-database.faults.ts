/** A hanging database: its connections stay open, and nothing comes back. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { type Answered, apiClient } from '../helpers/service/api.js';
import { administer, withConnectTimeout } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { startServiceProcess } from '../helpers/programs/process.js';
import { scrape } from '../helpers/text/prometheus.js';
import { useProxy } from '../helpers/servers/database-proxy.js';
import {
  environmentFor,
  useAgent,
  useInstance,
  useService,
  useTenant,
} from '../helpers/service/service.js';

const service = useService();
const tenant = useTenant(service);
const agent = useAgent(tenant);
const proxy = useProxy(service);
const instance = useInstance(
  service,
  () => ({
    // The defaults: other tests allow more.
    DATABASE_URL: withConnectTimeout(proxy.url, 5),
    DATABASE_STATEMENT_TIMEOUT_MS: '10000',
  }),
  { sharesRateLimits: true },
);

interface Timed {
  status: number;
  ms: number;
}

async function timed(work: Promise<{ status: number }>): Promise<Timed> {
  const start = performance.now();
  const { status } = await work;
  return { status, ms: performance.now() - start };
}

/** One request of each kind. */
function ask(url: string): Promise<Timed>[] {
  const { call } = apiClient(url, tenant.key);
  const path = { agent_id: agent.id };
  const message = { message: 'Hi', context: { session_id: 'chat' } };
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  const requests: Promise<Answered<unknown>>[] = [
    call('listAgents'),
    call('getAgent', { path }),
    call('updateAgent', { path, body: { temperature: Math.random() } }),
    call('updateAgent', { path, body: { temperature: Math.random() }, headers }),
    call('getLogs', { path }),
    call('getMetrics', { path, query: { metric: 'throughput' } }),
    call('searchMemory', { path, body: { query: 'hi' } }),
    call('invokeAgent', { path, body: message }),
    call('invokeAgent', { path, body: message, headers: { Prefer: 'respond-async' } }),
  ];
  return requests.map(timed);
}

const readiness = (url: string) => timed(fetch(`${url}/readyz`));

test('every request ends within 12 s, /readyz within 4 s, and everything recovers within 6 s of its return', async () => {
  const { url } = instance;
  await Promise.all(ask(url));
  proxy.freeze();
  const requests: Promise<Timed>[] = [];
  const probes: Promise<Timed>[] = [];
  try {
    for (let second = 0; second < 15; second += 1) {
      // More than the pool has connections.
      requests.push(...ask(url), ...ask(url));
      probes.push(readiness(url));
      await delay(1_000);
    }
    await Promise.all([...requests, ...probes]);
  } finally {
    proxy.thaw();
  }
  await eventually(async () => {
    const statuses = (await Promise.all(ask(url))).map(({ status }) => status);
    expect(Math.max(...statuses)).toBeLessThan(300);
    expect(await readiness(url)).toMatchObject({ status: 200 });
  }, 6_000);

  const answers = await Promise.all(requests);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
  expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(12_000);
  const probed = await Promise.all(probes);
  expect(new Set(probed.map(({ status }) => status))).toEqual(new Set([503]));
  expect(Math.max(...probed.map(({ ms }) => ms))).toBeLessThan(4_000);
});

test('does not keep the service from stopping', async () => {
  const process = await startServiceProcess({
    environment: environmentFor({ databaseUrl: withConnectTimeout(proxy.url, 5) }),
  });
  await Promise.all(ask(process.url));
  proxy.freeze();
  try {
    const cut = Promise.allSettled(ask(process.url));
    await delay(100);
    const start = performance.now();
    expect(await process.end('SIGTERM')).toBe(0);
    expect(performance.now() - start).toBeLessThan(30_000);
    await cut;
  } finally {
    proxy.thaw();
  }
});

describe('a read-only database', () => {
  const token = 'a-token-for-metrics-4711';
  const observed = useInstance(service, () => ({ METRICS_TOKEN: token }));
  const name = () => new URL(service.databaseUrl).pathname.slice(1);
  const set = (value: 'on' | 'off') =>
    administer(`ALTER DATABASE ${name()} SET default_transaction_read_only = ${value}`);
  const path = () => ({ agent_id: agent.id });
  const write = () =>
    apiClient(observed.url, tenant.key).call('updateAgent', {
      path: path(),
      body: { temperature: Math.random() },
    });
  const ready = async () => {
    const response = await fetch(`${observed.url}/readyz`);
    return { status: response.status, body: await response.json() };
  };
  const isReadOnly = async () =>
    (await scrape(observed.url, { token })).value('agent_hosting_database_read_only');

  test('serves reads, rejects writes, and is reported by /readyz and the metrics until it accepts writes', async () => {
    expect(await ready()).toEqual({ status: 200, body: { status: 'ready' } });
    expect(await isReadOnly()).toBe(0);
    await set('on');
    // The setting applies to new sessions.
    await administer(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name()}'`,
    );
    try {
      await eventually(async () => {
        expect(await ready()).toEqual({
          status: 200,
          body: { status: 'ready', database: 'read-only' },
        });
        const { status, headers } = await write();
        expect({ status, hasRetryAfter: headers.has('retry-after') }).toEqual({
          status: 503,
          hasRetryAfter: true,
        });
        expect(await isReadOnly()).toBe(1);
      });
      await apiClient(observed.url, tenant.key).expect('getAgent', 200, { path: path() });
      await apiClient(observed.url, tenant.key).expect('listAgents', 200);
    } finally {
      await set('off');
    }
    // The sessions stay read-only, like those to a former primary: the service must replace them.
    await eventually(async () => {
      expect(await ready()).toEqual({ status: 200, body: { status: 'ready' } });
      expect((await write()).status).toBe(200);
      expect(await isReadOnly()).toBe(0);
    });
    expect(
      observed.log.filter((line) =>
        /The database (is read-only|responds and accepts writes)/.test(line),
      ),
    ).toHaveLength(2);
  });
});
