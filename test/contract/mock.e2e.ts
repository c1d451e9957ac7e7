/** The mock answers every operation of the contract with its examples, adapted to the request. */

import { describe, expect, test } from '@jest/globals';
import { agentHosting } from '../../client/src/index.js';
import { operations as routeTable } from '../../generated/operations.js';
import { type Answered, type Api, apiClient, send, statusAt } from '../helpers/service/api.js';
import { operations } from '../helpers/service/contract.js';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/service/fixture.js';
import { isServed, startMock } from '../helpers/servers/mock-server.js';
import { descendantsOf, stillRunning, startCommand } from '../helpers/programs/process.js';
import { onlyRequired, validCall } from '../helpers/service/valid-call.js';
import { root, runScript } from '../helpers/programs/workspace.js';
import { freePort } from '../../server/lib/net/free-port.js';

const delayMs = 100;
const mock = useFixture(
  () => startMock('--delay', String(delayMs)),
  ({ stop }) => stop(),
);
const routes = Object.values(routeTable);

/** Checks every response against the contract. */
const call: Api['call'] = (...args) => apiClient(mock.url, 'any-key').call(...args);

function prefer(preference: string) {
  return { headers: { prefer: preference } };
}

async function dataOf(answer: Promise<Answered<unknown>>): Promise<unknown> {
  return ((await answer).body as { data: unknown }).data;
}

type Item = Record<string, unknown>;

describe('the mock', () => {
  test.each(routes)('answers $operationId with a success example', async (route) => {
    const { status, body } = await call(route.operationId, {
      ...validCall(route),
      query: onlyRequired(route.operationId),
    });
    const documented = operations
      .find(({ operationId }) => operationId === route.operationId)
      ?.responses.filter(
        (response) => response.status === status && response.mediaType === 'application/json',
      );
    expect(status).toBeLessThan(300);
    expect(documented?.map(({ value }) => withoutRequestId(value))).toContainEqual(
      withoutRequestId(body),
    );
  });

  test.each(routes)(
    'gives every documented status of $operationId when asked to',
    async (route) => {
      for (const wanted of route.statuses) {
        const { status, body } = await call(route.operationId, {
          ...validCall(route),
          ...prefer(`code=${wanted}`),
        });
        expect(status).toBe(wanted);
        const { error } = body as { error?: { message: string; details?: { field: string }[] } };
        const names = validCall(route);
        const known = new Set([
          ...Object.keys(names.path),
          ...Object.keys(names.query),
          ...Object.keys(names.body ?? {}),
        ]);
        if (error?.details)
          expect(error.details.every(({ field }) => known.has(field) || field === 'body')).toBe(
            true,
          );
        if (wanted === 403) expect(error?.message).toContain(`'${route.permission}'`);
      }
    },
  );

  test('reports that an operation does not document the requested status', async () => {
    const { status, body } = await call('listAgents', prefer('code=409'));
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('The statuses are 200, 400');
  });

  test('returns the requested example with its status', async () => {
    const path = { agent_id: 'support-bot' };
    const running = await call('rollbackDeployment', {
      path: { ...path, deployment_id: 'dep_01m6dqs9m0fsw90fq1accfsmnf' },
      ...prefer('example=stillRunning'),
    });
    expect(running).toMatchObject({ status: 409, body: { error: { retry_after: 1 } } });
    const refused = await call('deleteAgent', { path, ...prefer('code=403, example=mfaRequired') });
    expect(refused.status).toBe(403);
    expect(JSON.stringify(refused.body)).toContain('X-MFA-Code');
    const elsewhere = await call('invokeAgent', {
      path,
      body: { message: 'Hi', environment: 'staging' },
      ...prefer('code=404, example=noDeployment'),
    });
    expect(elsewhere.body).toMatchObject({
      error: { message: expect.stringContaining("in the environment 'staging'") },
    });
  });

  test.each([
    ['example=nothing', 'The examples are reply (200), paused (200), accepted (202), '],
    ['code=503, example=reply', 'The examples are providerBusy (503), unavailable (503).'],
    ['code=400, example=nothing', 'The examples are missingParameter (400), validationFailed'],
  ])('lists the available examples for Prefer: %s', async (preference, examples) => {
    const { status, body } = await call('invokeAgent', {
      path: { agent_id: 'support-bot' },
      body: { message: 'Hello' },
      ...prefer(preference),
    });
    expect(status).toBe(400);
    expect((body as { error: { message: string } }).error.message).toContain(examples);
  });

  test('names the requested resource in an error', async () => {
    const path = { agent_id: 'sales-bot' };
    const missing = await call('getAgent', { path, ...prefer('code=404') });
    expect(missing.body).toMatchObject({ error: { message: "There is no agent 'sales-bot'." } });
    const body = { environment: 'staging', version: '9.0.0' };
    const taken = await call('createDeployment', { path, body, ...prefer('code=409') });
    expect(taken.body).toMatchObject({
      error: {
        message: "Version '9.0.0' exists in environment 'staging' already. Choose another label.",
      },
    });
  });

  test('accepts an asynchronous invocation, and returns its result to the repeat', async () => {
    const invocation = {
      path: { agent_id: 'support-bot' },
      body: { message: 'Hello' },
      headers: { prefer: 'respond-async', 'idempotency-key': 'a-key-of-mine' },
    };
    const { status, headers, body } = await call('invokeAgent', invocation);
    expect(status).toBe(202);
    expect(headers.get('preference-applied')).toBe('respond-async');
    expect(body).toMatchObject({ data: { request_id: headers.get('x-request-id') } });
    const repeat = await call('invokeAgent', invocation);
    expect(repeat.status).toBe(200);
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
    expect(repeat.body).toMatchObject({ data: { request_id: headers.get('x-request-id') } });
  });

  test('pauses for approval on request, also as a stream, and takes the decision', async () => {
    const paused = prefer('example=paused');
    const path = { agent_id: 'support-bot' };
    const body = { message: 'Refund order 5512' };
    const data = (await dataOf(call('invokeAgent', { path, body, ...paused }))) as Item;
    expect(data).toMatchObject({ status: 'requires_approval', approvals: [{ tool: 'refund' }] });
    const client = agentHosting({ apiKey: 'any-key', baseUrl: mock.url });
    const stream = client.agents.invoke('support-bot', body, { stream: true, ...paused });
    const { approvals } = await stream.result();
    expect(approvals).toEqual(data['approvals']);
    const decisions = { call_1: 'approve' as const };
    const reply = await client.agents.resume('support-bot', String(data['request_id']), decisions);
    expect(reply.status).toBe('completed');
  });

  test('accepts a cancellation, which needs the key of the request to cancel', async () => {
    const request = { path: { agent_id: 'support-bot' }, body: { message: 'Hello' } };
    const cancelled = await call('invokeAgent', {
      ...request,
      headers: { prefer: 'cancel', 'idempotency-key': 'a-key-to-cancel' },
    });
    expect(cancelled.status).toBe(202);
    expect(cancelled.headers.get('preference-applied')).toBe('cancel');
    const refused = await call('invokeAgent', { ...request, ...prefer('cancel') });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain('Idempotency-Key');
  });

  test('streams a reply with the --delay between its events', async () => {
    const start = performance.now();
    const response = await send(mock.url, 'invokeAgent', {
      path: { agent_id: 'support-bot' },
      headers: { authorization: 'Bearer any-key', accept: 'text/event-stream' },
      body: { message: 'Hello' },
    });
    const chunks: string[] = [];
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      chunks.push(chunk);
    }
    const elapsedMs = performance.now() - start;
    const text = chunks.join('');
    const deltas = text.match(/^event: delta$/gm)?.length ?? 0;
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(deltas).toBeGreaterThan(3);
    expect(text).toMatch(/event: done\ndata: \{.*"request_id":"req_/);
    // A busy machine may merge some of them, but is never early.
    expect(chunks.length).toBeGreaterThan(3);
    expect(elapsedMs).toBeGreaterThan(0.9 * deltas * delayMs);
  });

  test('ends a stream with the error of an agent, and rejects other requests for one', async () => {
    const stream = (prefer: string) =>
      send(mock.url, 'invokeAgent', {
        path: { agent_id: 'support-bot' },
        headers: { authorization: 'Bearer any-key', accept: 'text/event-stream', prefer },
        body: { message: 'Hello' },
      });
    const failed = await stream('code=502');
    expect(failed.status).toBe(200);
    expect(await failed.text()).toMatch(/^id: .*\nevent: error\ndata: \{"code":"upstream_error"/);
    const refused = await stream('code=429');
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: { code: 'rate_limited' } });
  });

  test('applies filters, sorting and pagination', async () => {
    const path = { agent_id: 'support-bot' };
    const warnings = await dataOf(call('getLogs', { path, query: { level: 'warn' } }));
    expect((warnings as Item[]).map(({ level }) => level)).toEqual(['warn']);
    const failed = await dataOf(call('listWebhooks', { query: { event: 'agent.failed' } }));
    expect((failed as Item[])[0]?.['events']).toContain('agent.failed');
    const named = await dataOf(call('listAgents', { query: { name: 'new-bot' } }));
    expect((named as Item[]).map(({ name }) => name)).toEqual(['new-bot']);
    const sorted = await dataOf(call('listAgents', { query: { sort: '-name' } }));
    expect((sorted as Item[]).map(({ name }) => name)).toEqual(['support-bot', 'billing-bot']);
    const { body } = await call('listAgents', { query: { limit: 1, offset: 1 } });
    expect(body).toMatchObject({
      data: [{ name: 'support-bot' }],
      pagination: { limit: 1, offset: 1, total: 2, has_more: false },
    });
  });

  test.each([
    ['response_time', 'ms'],
    ['throughput', 'requests_per_minute'],
    ['error_rate', 'percent'],
    ['token_usage', 'tokens'],
  ])('answers %s in its unit, for the requested range', async (metric, unit) => {
    const range = {
      start_time: '2026-11-01T00:00:00Z',
      end_time: '2026-11-01T06:00:00Z',
      granularity: '1h',
    };
    const { body } = await call('getMetrics', {
      path: { agent_id: 'support-bot' },
      query: { metric, ...range },
    });
    const { data } = body as {
      data: { metric: string; values: { timestamp: string; unit: string; value: number }[] };
    };
    expect(data.metric).toBe(metric);
    expect(data.values).toHaveLength(6);
    expect(data.values[0]).toMatchObject({ timestamp: '2026-11-01T00:00:00.000Z', unit });
    expect(Math.max(...data.values.map(({ value }) => value))).toBeLessThanOrEqual(
      unit === 'percent' ? 100 : Infinity,
    );
  });

  test('echoes the values that were sent', async () => {
    const body = { name: 'Kiosk', permissions: ['read'] };
    expect(await dataOf(call('createApiKey', { body }))).toMatchObject({
      ...body,
      agent_id: null,
      expires_at: null,
    });
    const update = { temperature: 0.9 };
    expect(
      await dataOf(call('updateAgent', { path: { agent_id: 'sales-bot' }, body: update })),
    ).toMatchObject({
      name: 'sales-bot',
      ...update,
    });
  });

  test('allows browsers from other origins', async () => {
    const response = await fetch(`${mock.url}/v1/agents`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://app.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization, idempotency-key',
      },
    });
    expect(response.ok).toBe(true);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-methods')).toContain('POST');
    expect(response.headers.get('access-control-allow-headers')).toMatch(/\*|idempotency-key/);
  });

  test('prints a request that works when pasted, and logs each request', async () => {
    const [, url = '', header = ''] = /curl (\S+) -H '(\S+: [^']+)'$/m.exec(mock.output()) ?? [];
    const [name = '', value = ''] = header.split(': ');
    expect(await statusAt(url, { headers: { [name]: value } })).toBe(200);
    expect(mock.output()).toContain('200 GET /v1/agents\n');
  });

  test('serves many concurrent requests', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 200 }, () =>
        statusAt(`${mock.url}/v1/agents`, { headers: { authorization: 'Bearer any-key' } }),
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test('says what to do when its port is in use', async () => {
    const { code, stderr } = await runScript('mock', ['--port', String(mock.port)]);
    expect(code).toBe(1);
    expect(stderr).toContain('Choose another port with --port or PORT');
  });

  test('rejects an impossible port with exit code 2', async () => {
    const { code, stderr } = await runScript('mock', ['--port', 'http']);
    expect(code).toBe(2);
    expect(stderr).toContain('It must be a whole number from 1 to 65535.');
  });
});

describe('the mock with --dynamic', () => {
  const dynamic = useFixture(
    () => startMock('--dynamic'),
    ({ stop }) => stop(),
  );
  const dynamicCall: Api['call'] = (...args) => apiClient(dynamic.url, 'any-key').call(...args);

  test.each(routes)('answers $operationId as the contract allows', async (route) => {
    for (let round = 0; round < 2; round += 1) {
      const { status } = await dynamicCall(route.operationId, validCall(route));
      expect(status).toBeLessThan(300);
    }
  });

  test('counts tokens in whole numbers', async () => {
    const path = { agent_id: 'support-bot' };
    const series = await dataOf(
      dynamicCall('getMetrics', { path, query: { metric: 'token_usage' } }),
    );
    const { values } = series as { values: { value: number }[] };
    expect(values.filter(({ value }) => !Number.isInteger(value))).toEqual([]);
    const invoked = dynamicCall('invokeAgent', { path, body: { message: 'Hello' } });
    expect(Number.isInteger(((await dataOf(invoked)) as Item)['tokens_used'])).toBe(true);
  });

  test('has lists with pages, distinct names and times near now', async () => {
    const { body } = await dynamicCall('listAgents', { query: { limit: 20 } });
    const { data, pagination } = body as { data: Item[]; pagination: Item };
    expect(pagination).toEqual({ limit: 20, offset: 0, total: 30, has_more: true });
    expect(new Set(data.map(({ name }) => name)).size).toBe(20);
    expect(new Set(data.map(({ id }) => id)).size).toBe(20);
    const logs = (await dataOf(dynamicCall('getLogs', { path: { agent_id: 'x' } }))) as Item[];
    const ageMs = Date.now() - Date.parse(String(logs[0]?.['timestamp']));
    expect(ageMs).toBeGreaterThanOrEqual(0);
    expect(ageMs).toBeLessThan(120_000);
  });
});

describe('the mock with --stateful', () => {
  test('runs the service with the same key every time, and deletes its data at the end', async () => {
    const stateful = await startMock('--stateful');
    try {
      const [, key = ''] = /Key: +(ahs_\S+)/.exec(stateful.output()) ?? [];
      const api = apiClient(stateful.url, key);
      await api.expect('createWebhook', 201, {
        body: { url: 'http://127.0.0.1:9/hook', events: ['agent.failed'] },
      });
      const { pagination } = await api.expect('listWebhooks', 200);
      expect(pagination.total).toBe(1);
      const { data } = await api.expect('invokeAgent', 200, {
        path: { agent_id: 'echo' },
        body: { message: 'Hello' },
      });
      expect(data.response).toBe('Hello');
    } finally {
      expect(await stateful.stop()).toBe(0);
    }
  });

  test('stops all its child processes when npm is interrupted', async () => {
    const port = await freePort();
    const npm = startCommand('npm', ['run', 'mock', '--', '--port', String(port), '--stateful'], {
      cwd: root,
    });
    await npm.printed(/mocked at/);
    const started = await descendantsOf(npm.pid);
    expect(started.length).toBeGreaterThan(1);
    try {
      process.kill(npm.pid, 'SIGINT');
      await eventually(async () => {
        expect(await stillRunning(started)).toEqual([]);
      });
    } finally {
      for (const pid of await stillRunning(started)) process.kill(pid, 'SIGKILL');
    }
    expect(await isServed(port)).toBe(false);
  });
});

/** Request ids differ between responses. */
function withoutRequestId(body: unknown): unknown {
  const { data } = body as { data: Item };
  return 'request_id' in data ? { ...(body as object), data: { ...data, request_id: '' } } : body;
}
