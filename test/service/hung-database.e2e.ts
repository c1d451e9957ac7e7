/** A database that hangs: its connections stay open, and nothing comes back. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { type Answered, apiClient } from '../helpers/api.js';
import { administer } from '../helpers/database.js';
import { eventually } from '../helpers/eventually.js';
import { startServiceProcess } from '../helpers/process.js';
import { useProxy } from '../helpers/proxy.js';
import { besides, useAgent, useInstance, useService, useTenant } from '../helpers/service.js';

const service = useService();
const tenant = useTenant(service);
const agent = useAgent(tenant);
const proxy = useProxy(service);
const instance = useInstance(service, () => ({
  DATABASE_URL: proxy.url,
  RATE_LIMIT_STORE: 'postgres',
}));

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

test('every request ends within 6 s, /readyz within 2 s, and all is well within 2 s of its return', async () => {
  const { url } = instance;
  await Promise.all(ask(url));
  proxy.freeze();
  const requests: Promise<Timed>[] = [];
  const probes: Promise<Timed>[] = [];
  try {
    for (let second = 0; second < 8; second += 1) {
      // More than the pool has connections for.
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
  }, 2_000);

  const answers = await Promise.all(requests);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
  expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(6_000);
  const probed = await Promise.all(probes);
  expect(new Set(probed.map(({ status }) => status))).toEqual(new Set([503]));
  expect(Math.max(...probed.map(({ ms }) => ms))).toBeLessThan(2_000);
});

test('does not keep the service from stopping', async () => {
  const process = await startServiceProcess({ environment: besides({ databaseUrl: proxy.url }) });
  await Promise.all(ask(process.url));
  proxy.freeze();
  try {
    const cut = Promise.allSettled(ask(process.url));
    await delay(100);
    const start = performance.now();
    expect(await process.end('SIGTERM')).toBe(0);
    expect(performance.now() - start).toBeLessThan(10_000);
    await cut;
  } finally {
    proxy.thaw();
  }
});

describe('a database that is read-only', () => {
  test('/readyz is a 503 that says so', async () => {
    const name = new URL(service.databaseUrl).pathname.slice(1);
    const setReadOnly = async (value: 'on' | 'off') => {
      await administer(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
      await administer(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
      );
    };
    await setReadOnly('on');
    await eventually(async () => {
      const response = await fetch(`${service.url}/readyz`);
      expect(await response.json()).toEqual({
        status: 'unavailable',
        problem: 'The database is read-only.',
      });
      expect(response.status).toBe(503);
    });
    await setReadOnly('off');
    await eventually(async () => {
      expect(await readiness(service.url)).toMatchObject({ status: 200 });
    });
  });
});
