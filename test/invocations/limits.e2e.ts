/** Limits per account and per instance: concurrent invocations, and bytes of responses. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { OperationId } from '../../generated/operations.js';
import { tiers } from '../../server/accounts/tiers.js';
import { apiClient, type Call } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/service/fixture.js';
import { recordHistory } from '../helpers/database/history.js';
import { type ServiceProcess, startServiceProcess } from '../helpers/programs/process.js';
import { environmentFor } from '../helpers/service/service.js';
import type { Behaviour } from '../helpers/model-provider/received.js';
import { answer, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import { message, messageIn, useServiceWithModel } from './service-with-model.js';

const fixture = useServiceWithModel();

test('an account runs as many invocations at a time as its tier allows, and other accounts are not affected', async () => {
  const waiting: ServerResponse[] = [];
  fixture.provider.behave((response) => void waiting.push(response));
  const tenant = await fixture.service.tenant({ tier: 'free' });
  const { id } = await tenant.newAgent({ model: 'local/llama3.2' });
  const { id: others } = await fixture.tenant.newAgent();
  const limit = tiers.free.concurrentInvocations;
  const first = Array.from({ length: limit }, () =>
    tenant.api.call('invokeAgent', message(id, 'Hi')),
  );
  await eventually(() => {
    expect(waiting).toHaveLength(limit);
  });
  const refused = await tenant.api.call('invokeAgent', message(id, 'Hi'));
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(refused.body).toMatchObject({ error: { code: 'rate_limited' } });
  await fixture.tenant.api.expect('invokeAgent', 200, message(others, 'Hi'));

  fixture.provider.behave(answer(chatCompletions, ['Done']));
  for (const response of waiting) answer(chatCompletions, ['Done'])(response);
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual(first.map(() => 200));
  await tenant.api.expect('invokeAgent', 200, message(id, 'Hi'));
});

const long = 'x'.repeat(262_000);
const json: Behaviour = (response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ response: long }));
};
const events: Behaviour = (response) => {
  response.setHeader('content-type', 'text/event-stream');
  const data = JSON.stringify({ text: long.slice(0, 26_200) });
  for (let count = 0; count < 10; count += 1) response.write(`event: delta\ndata: ${data}\n\n`);
  response.end('event: done\ndata: {}\n\n');
};
/** Control characters take six bytes each in JSON, and twelve in JSON within JSON. */
const escapes: Behaviour = (response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ response: '\u0001'.repeat(262_000) }));
};

const small = useFixture<ServiceProcess>(
  () =>
    startServiceProcess({
      environment: {
        ...environmentFor(fixture.service),
        NODE_OPTIONS: '--max-old-space-size=256',
        LOCAL_BASE_URL: `${fixture.provider.url}/v1`,
        ALLOW_PRIVATE_TARGETS: 'true',
        WORKER: 'off',
        ASYNC_CONCURRENCY: '0',
      },
    }),
  async (program) => void (await program.end('SIGKILL')),
);

const newLongAgent = () =>
  fixture.tenant.newAgent({ model: 'http/long', endpoint: { url: fixture.provider.url } });

/** Sends all at once to the process with the small heap. Each must be complete, or a 503 with Retry-After. */
async function callsOf(operationId: OperationId, calls: Call[]): Promise<Set<string>> {
  const api = apiClient(small.url, fixture.tenant.key);
  const statuses = calls.map(async (call) => {
    const { status, headers } = await api.call(operationId, call);
    return status === 503 ? `503 after ${headers.get('retry-after')}` : `${status}`;
  });
  const different = new Set(await Promise.all(statuses));
  expect([...different].filter((status) => !/^(200|503 after \d)$/.test(status))).toEqual([]);
  return different;
}

/** Repeats them after `Retry-After`. */
async function someAnswered(operationId: OperationId, calls: Call[]): Promise<boolean> {
  for (let tries = 0; tries < 5; tries += 1) {
    if ((await callsOf(operationId, calls)).has('200')) return true;
    await delay(1_000);
  }
  return false;
}

const times = (count: number, call: (n: number) => Call) =>
  Array.from({ length: count }, (_, n) => call(n));

test.each([
  ['in one piece', json, 400],
  ['in events', events, 200],
  ['that consist of escapes', escapes, 200],
])('no number of long responses %s crashes a process', async (_, behaviour, count) => {
  fixture.provider.behave(behaviour);
  const { id } = await newLongAgent();
  const isAnswered = await someAnswered(
    'invokeAgent',
    times(count, () => message(id, 'Hi')),
  );
  expect(isAnswered).toBe(true);
  expect((await fetch(`${small.url}/healthz`)).status).toBe(200);
});

describe('no number of long stored texts crashes a process:', () => {
  const count = 60;
  const sessionOf = (n: number) => `session ${n}`;
  const agent = useFixture(newLongAgent);

  beforeAll(async () => {
    await recordHistory(
      fixture.service.database,
      { accountId: fixture.tenant.accountId, agentId: agent.id },
      Array.from({ length: count }, (_, n) => ({
        at: Date.now(),
        durationMs: 1,
        failed: false,
        sessionId: sessionOf(n),
        said: [
          { role: 'user', content: 'Hi' },
          { role: 'agent', content: `parcel ${long}` },
        ],
      })),
    );
  });

  afterEach(async () => {
    expect((await fetch(`${small.url}/healthz`)).status).toBe(200);
  });

  test('searched', async () => {
    const search = { path: { agent_id: agent.id }, body: { query: 'parcel', limit: 100 } };
    const isAnswered = await someAnswered(
      'searchMemory',
      times(20, () => search),
    );
    expect(isAnswered).toBe(true);
  });

  test('session histories', async () => {
    fixture.provider.behave((response) => {
      setTimeout(() => response.end('{"response":"Hello."}'), 1_000);
      response.setHeader('content-type', 'application/json');
    });
    const isAnswered = await someAnswered(
      'invokeAgent',
      times(count, (n) => messageIn(sessionOf(n), agent.id, 'Hi')),
    );
    expect(isAnswered).toBe(true);
  });

  test.each(['application/json', 'text/event-stream'])('replayed as %s', async (accept) => {
    fixture.provider.behave(json);
    const headers = { 'idempotency-key': randomUUID() };
    await eventually(() =>
      fixture.tenant.api.expect('invokeAgent', 200, message(agent.id, 'Hi', { headers })),
    );
    const isAnswered = await someAnswered(
      'invokeAgent',
      times(200, () => message(agent.id, 'Hi', { headers: { ...headers, accept } })),
    );
    expect(isAnswered).toBe(true);
  });
});
