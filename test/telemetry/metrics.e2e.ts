/** `/metrics` after real requests, invocations, model and tool calls, deliveries and faults. */
import { describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { operations } from '../../generated/operations.js';
import { eventually } from '../helpers/eventually.js';
import { scrape as scrapeAt, scrapeWithDatabase } from '../helpers/text/prometheus.js';
import { runPromtool, testWithPromtool } from './promtool.js';
import { answer as respond, inSequence, startReceiver } from '../helpers/servers/receiver.js';
import type { Environment } from '../helpers/service/service.js';
import { useToolFixtures } from '../invocations/tool-fixtures.js';
import { message, messageIn } from '../invocations/service-with-model.js';
import { status } from '../helpers/model-provider/failures.js';
import { answer, chatCompletions } from '../helpers/model-provider/wire-formats.js';

const token = 'a-token-for-metrics-4711';
const { fixture, newToolAgent, scriptModel } = useToolFixtures({
  METRICS_TOKEN: token,
  METRICS_PORT: '0',
  WORKER: 'on',
});
const scrape = () => scrapeAt(fixture.service.url, { token });

/** Another instance, which takes no work from the one under test. */
const another = (environment: Environment = {}) =>
  fixture.service.another({ WORKER: 'off', ASYNC_CONCURRENCY: '0', ...environment });

/** Expects the sum of the series with these labels to grow by this much during the work. */
async function growth(
  name: string,
  labels: Record<string, string>,
  work: () => Promise<unknown>,
  expected: number,
) {
  const read = async () => {
    const exposition = await scrape();
    return exposition.select(name, labels).reduce((sum, { value }) => sum + value, 0);
  };
  const before = await read();
  await work();
  await eventually(async () => {
    expect((await read()) - before).toBe(expected);
  });
}

describe('/metrics', () => {
  test.each([
    ['none', {}],
    ['another', { authorization: 'Bearer a-token-for-metrics-4712' }],
    ['the beginning', { authorization: `Bearer ${token.slice(0, -1)}` }],
    ['a longer token', { authorization: `Bearer ${token}1` }],
    ['another scheme', { authorization: `Basic ${token}` }],
    ['an empty one', { authorization: 'Bearer ' }],
    ['a huge one', { authorization: `Bearer ${'x'.repeat(8_000)}` }],
  ])('is a 401 with %s as token', async (_name, headers) => {
    const response = await request(fixture.service.url)
      .get('/metrics')
      .set(headers)
      .expect('www-authenticate', /^Bearer/)
      .expect(401);
    expect(response.body).toMatchObject({ error: { code: 'unauthorized' } });
  });

  test('is a 401 with an API key, whatever its permissions', async () => {
    const { authorization } = { authorization: `Bearer ${fixture.tenant.key}` };
    await request(fixture.service.url).get('/metrics').set({ authorization }).expect(401);
  });

  test('is disabled by default', async () => {
    const { url } = await another({ METRICS_TOKEN: '', METRICS_PORT: '' });
    const response = await request(url)
      .get('/metrics')
      .set('authorization', `Bearer ${token}`)
      .expect(404);
    expect(response.body).toMatchObject({ error: { code: 'not_found' } });
  });

  test('is valid Prometheus text with every series from the start', async () => {
    const { url } = await another();
    const exposition = await scrapeWithDatabase(url, { token });
    for (const { operationId: operation, statuses } of Object.values(operations)) {
      for (const code of statuses) {
        const labels = { operation, status: String(code) };
        expect(exposition.value('agent_hosting_http_requests_total', labels)).toBe(0);
      }
      const name = 'agent_hosting_http_request_duration_seconds_count';
      expect(exposition.value(name, { operation })).toBe(0);
    }
    for (const [name, labels] of [
      ['agent_hosting_invocations_total', { outcome: 'succeeded' }],
      ['agent_hosting_invocations_total', { outcome: 'timeout' }],
      ['agent_hosting_model_calls_total', { outcome: 'rate_limited' }],
      ['agent_hosting_model_tokens_total', { type: 'input' }],
      ['agent_hosting_model_retries_total', { kind: 'fallback' }],
      ['agent_hosting_tool_calls_total', { outcome: 'failed' }],
      ['agent_hosting_delivery_attempts_total', { outcome: 'delivered' }],
      ['agent_hosting_leases_lost_total', { kind: 'session' }],
      ['agent_hosting_queue_depth', { queue: 'invocations' }],
      ['agent_hosting_queue_oldest_age_seconds', { queue: 'deliveries' }],
    ] as const) {
      expect(exposition.value(name, labels)).toBe(0);
    }
    expect(exposition.value('agent_hosting_build_info', { node: process.version })).toBe(1);
    expect(exposition.value('process_resident_memory_bytes')).toBeGreaterThan(10e6);
    expect(exposition.value('process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(exposition.value('process_start_time_seconds')).toBeGreaterThan(1.6e9);
    expect(exposition.value('process_open_fds')).toBeGreaterThan(3);
    const longest = { operation: 'invokeAgent', le: '600' };
    expect(exposition.value('agent_hosting_http_request_duration_seconds_bucket', longest)).toBe(0);
    expect(exposition.value('agent_hosting_database_connections_max')).toBeGreaterThan(0);
    expect(exposition.names).toContain('agent_hosting_database_connections');
    expect(exposition.names).toContain('nodejs_eventloop_lag_p99_seconds');
    expect(exposition.names).toContain('agent_hosting_database_connections_waiting');
  });

  test('follows the naming conventions', async () => {
    const { families } = await scrape();
    for (const { name, type, help } of families.values()) {
      expect(name).toMatch(/^(agent_hosting|process|nodejs)_[a-z0-9_]+$/);
      expect(name.endsWith('_total')).toBe(type === 'counter');
      expect(help.length).toBeGreaterThan(10);
    }
  });

  test('has a separate listener, which serves nothing else', async () => {
    const url = (await another()).metricsUrl ?? '';
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
    await scrapeAt(url, { token });
    const { origin } = new URL(url);
    await request(origin).get('/metrics').expect(401);
    await request(origin).get('/v1/agents').expect(404);
    await request(origin).post('/metrics').set('authorization', `Bearer ${token}`).expect(404);
    await request(origin).get('/healthz').expect(404);
    const { text } = await request(origin)
      .head('/metrics')
      .set('authorization', `Bearer ${token}`)
      .expect(200);
    expect(text).toBeUndefined();
  });

  test('requires no token there unless one is set', async () => {
    const open = await another({ METRICS_TOKEN: '' });
    await scrapeAt(open.metricsUrl ?? '');
    await request(open.url).get('/metrics').expect(404);
  });
});

describe('requests', () => {
  test('are counted by operation and status, and timed', async () => {
    const labels = { operation: 'listAgents', status: '200' };
    await growth(
      'agent_hosting_http_requests_total',
      labels,
      async () => {
        await fixture.tenant.api.expect('listAgents', 200);
        await fixture.tenant.api.expect('listAgents', 200);
      },
      2,
    );
    const exposition = await scrape();
    const name = 'agent_hosting_http_request_duration_seconds_count';
    expect(exposition.value(name, { operation: 'listAgents' })).toBeGreaterThanOrEqual(2);
  });

  test('of probes are not counted', async () => {
    await growth(
      'agent_hosting_http_requests_total',
      {},
      async () => {
        for (const path of ['/healthz', '/readyz']) await fetch(`${fixture.service.url}${path}`);
        await scrape();
        await fixture.tenant.api.expect('listAgents', 200);
      },
      1,
    );
  });

  test('of unauthenticated clients are counted without paths that they choose', async () => {
    const labels = { operation: 'listAgents', status: '401' };
    await growth(
      'agent_hosting_http_requests_total',
      labels,
      () => fixture.service.api('nothing').call('listAgents'),
      1,
    );
    await growth(
      'agent_hosting_http_requests_total',
      { operation: 'none', status: '404' },
      () => fetch(`${fixture.service.url}/"quote}{x="y"\\n`),
      1,
    );
  });
});

describe('the database', () => {
  const name = 'agent_hosting_database_statement_duration_seconds_count';

  test('is timed by statement name, also on connections opened before the first scrape', async () => {
    const { id } = await fixture.newAgent();
    const invoke = () => fixture.tenant.api.expect('invokeAgent', 200, message(id, 'Hello'));
    await growth(name, { statement: 'invocations_record' }, invoke, 1);
  });

  test('is timed for all statements of Prisma together, and for transactions', async () => {
    const body = { name: 'Help desk', permissions: ['read' as const] };
    await fixture.tenant.api.expect('createApiKey', 201, { body });
    const exposition = await scrape();
    for (const statement of ['other', 'begin', 'commit']) {
      expect(exposition.value(name, { statement })).toBeGreaterThan(0);
    }
  });
});

describe('background tasks', () => {
  test('export the time of their last success', async () => {
    const startedAt = Date.now() / 1000;
    const { url } = await another();
    const name = 'agent_hosting_task_last_success_timestamp_seconds';
    await eventually(async () => {
      const exposition = await scrapeAt(url, { token });
      for (const task of ['fold usage', 'purge deleted rows', 'create partitions']) {
        expect(exposition.value(name, { task })).toBeGreaterThanOrEqual(startedAt);
      }
    }, 30_000);
  });
});

describe('invocations', () => {
  test('are counted by agent and outcome, models by provider, and tokens by type', async () => {
    const { id, name } = await fixture.newAgent();
    const invoke = () => fixture.tenant.api.expect('invokeAgent', 200, message(id, 'Hello'));
    const labels = { agent: name, agent_id: id, outcome: 'succeeded' };
    await growth('agent_hosting_invocations_total', labels, invoke, 1);
    const model = { provider: 'local', model: 'llama3.2' };
    const calls = { ...model, outcome: 'succeeded' };
    await growth('agent_hosting_model_calls_total', calls, invoke, 1);
    await growth('agent_hosting_model_tokens_total', { ...model, type: 'input' }, invoke, 5);
    await growth('agent_hosting_model_tokens_total', { ...model, type: 'output' }, invoke, 2);
  });

  test('that fail are counted by their code, with each retry', async () => {
    const { id } = await fixture.newAgent();
    fixture.provider.behave(status(500));
    const labels = { agent_id: id, outcome: 'upstream_error' };
    const invoke = () => fixture.tenant.api.call('invokeAgent', message(id, 'Hello'));
    await growth('agent_hosting_invocations_total', labels, invoke, 1);
    await growth('agent_hosting_model_retries_total', { kind: 'retry' }, invoke, 2);
    fixture.provider.behave(status(429));
    const limited = { provider: 'local', outcome: 'rate_limited' };
    await growth('agent_hosting_model_calls_total', limited, invoke, 3);
  });

  test('count their tool calls by outcome', async () => {
    const name = await newToolAgent();
    scriptModel(
      [{ name: 'orders_lookup', arguments: { order_id: '5512' } }],
      [{ name: 'orders_lookup', arguments: {} }],
      [{ name: 'made-up', arguments: {} }],
      'Done.',
    );
    const invoke = () =>
      fixture.tenant.api.expect('invokeAgent', 200, message(name, 'Look it up.'));
    await growth('agent_hosting_tool_calls_total', {}, invoke, 3);
    const exposition = await scrape();
    for (const outcome of ['succeeded', 'failed', 'unknown']) {
      expect(exposition.value('agent_hosting_tool_calls_total', { outcome })).toBe(1);
    }
  });

  test('whose session lease was lost are counted', async () => {
    const { id } = await fixture.newAgent();
    const { prisma } = fixture.service.database;
    fixture.provider.behave(async (res) => {
      await prisma.sessionLease.updateMany({ where: { agentId: id }, data: { owner: 'another' } });
      answer(chatCompletions, ['Too late'])(res);
    });
    const invoke = () => fixture.tenant.api.call('invokeAgent', messageIn('chat', id, 'Hello'));
    await growth('agent_hosting_leases_lost_total', { kind: 'session' }, invoke, 1);
  });

  test('whose worker lost its lease are counted', async () => {
    const { id } = await fixture.newAgent();
    const { prisma } = fixture.service.database;
    fixture.provider.behave(
      async (res) => {
        await prisma.invocation.updateMany({
          where: { agentId: id },
          data: { leaseOwner: 'a quicker worker', availableAt: new Date(Date.now() + 500) },
        });
        answer(chatCompletions, ['Too late'])(res);
      },
      answer(chatCompletions, ['In time']),
    );
    const accept = () =>
      fixture.tenant.api.expect('invokeAgent', 202, {
        ...message(id, 'Hello'),
        headers: { prefer: 'respond-async' },
      });
    await growth('agent_hosting_leases_lost_total', { kind: 'invocation' }, accept, 1);
  });
});

describe('names chosen by tenants', () => {
  test('are limited to a hundred agents, of which one account has at most twenty', async () => {
    const hostile = await fixture.service.tenant();
    const neighbour = await fixture.service.tenant();
    for (let count = 0; count < 25; count += 1) {
      const { id } = await hostile.newAgent();
      await hostile.api.expect('invokeAgent', 200, message(id, 'Hello'));
    }
    const { id } = await neighbour.newAgent();
    await neighbour.api.expect('invokeAgent', 200, message(id, 'Hello'));
    await eventually(async () => {
      const exposition = await scrape();
      const name = 'agent_hosting_invocations_total';
      expect(exposition.value(name, { agent: 'other', outcome: 'succeeded' })).toBe(5);
      expect(exposition.value(name, { agent_id: id })).toBe(1);
    });
  });

  test('are escaped in their label', async () => {
    const hostile = 'evil"} 1\nagent_hosting_database_up 0\n# HELP x \\';
    const tenant = await fixture.service.tenant();
    const { id } = await tenant.newAgent({ name: hostile });
    await tenant.api.expect('invokeAgent', 200, message(id, 'Hello'));
    await eventually(async () => {
      const exposition = await scrape();
      expect(exposition.value('agent_hosting_invocations_total', { agent: hostile })).toBe(1);
      expect(exposition.value('agent_hosting_database_up')).toBe(1);
    });
  });

  test('of models are limited too', async () => {
    const tenant = await fixture.service.tenant();
    for (let count = 0; count < 12; count += 1) {
      const { id } = await tenant.newAgent({ model: `local/made-up-${count}` });
      await tenant.api.expect('invokeAgent', 200, message(id, 'Hello'));
    }
    await eventually(async () => {
      const exposition = await scrape();
      const others = { model: 'other', outcome: 'succeeded' };
      expect(exposition.value('agent_hosting_model_calls_total', others)).toBeGreaterThanOrEqual(2);
    });
  });
});

describe('deliveries', () => {
  test('are counted by outcome', async () => {
    const tenant = await fixture.service.tenant();
    const { id } = await tenant.newAgent();
    const receiver = await startReceiver(inSequence(respond(204), respond(500), respond(410)));
    await tenant.api.expect('createWebhook', 201, {
      body: { url: receiver.url, events: ['agent.completed'] },
    });
    const name = 'agent_hosting_delivery_attempts_total';
    const invoke = () => tenant.api.expect('invokeAgent', 200, message(id, 'Hello'));
    await growth(name, { outcome: 'delivered' }, invoke, 1);
    await growth(name, { outcome: 'retried' }, invoke, 1);
    await growth(name, { outcome: 'gone' }, invoke, 1);
    await receiver.close();
  });
});

testWithPromtool('promtool reports no problems', async () => {
  const response = await fetch(`${fixture.service.url}/metrics`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const checked = await runPromtool(['check', 'metrics'], await response.text());
  expect(checked).toEqual({ code: 0, said: '' });
});
