/** What one account and one instance may have in progress: invocations at a time, and bytes of answers. */
import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { tiers } from '../../server/lib/tiers.js';
import { apiClient } from '../helpers/api.js';
import { eventually } from '../helpers/eventually.js';
import { startServiceProcess } from '../helpers/process.js';
import { besides } from '../helpers/service.js';
import { type Behaviour, hang } from '../runtime/provider-server.js';
import { answer, chatCompletions } from '../runtime/wire-formats.js';
import { message, useWorld } from './world.js';

const world = useWorld();

test('an account runs as many invocations at a time as its tier allows, and others are not affected', async () => {
  const waiting: ServerResponse[] = [];
  world.provider.behave((response) => void waiting.push(response));
  const small = await world.service.tenant({ tier: 'free' });
  const { id } = await small.newAgent({ model: 'local/llama3.2' });
  const { id: others } = await world.tenant.newAgent();
  const limit = tiers.free.concurrentInvocations;
  const first = Array.from({ length: limit }, () =>
    small.api.call('invokeAgent', message(id, 'Hi')),
  );
  await eventually(() => {
    expect(waiting).toHaveLength(limit);
  });
  const refused = await small.api.call('invokeAgent', message(id, 'Hi'));
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(refused.body).toMatchObject({ error: { code: 'rate_limited' } });
  await world.tenant.api.expect('invokeAgent', 200, message(others, 'Hi'));

  world.provider.behave(answer(chatCompletions, ['Done']));
  for (const response of waiting) answer(chatCompletions, ['Done'])(response);
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual(first.map(() => 200));
  await small.api.expect('invokeAgent', 200, message(id, 'Hi'));
});

const long = 'x'.repeat(3_900_000);
const json: Behaviour = (response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ response: long }));
};
const events: Behaviour = (response) => {
  response.setHeader('content-type', 'text/event-stream');
  const data = JSON.stringify({ text: long.slice(0, 390_000) });
  for (let count = 0; count < 10; count += 1) response.write(`event: delta\ndata: ${data}\n\n`);
  response.end('event: done\ndata: {}\n\n');
};
/** Control characters take six bytes each in JSON, and twelve in the JSON that holds it. */
const escapes: Behaviour = (response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ response: '\u0001'.repeat(2_500_000) }));
};

test('no number of long answers ends a process: each is complete, or a 503 that says when to retry', async () => {
  const service = await startServiceProcess({
    environment: {
      ...besides(world.service),
      NODE_OPTIONS: '--max-old-space-size=256',
      LOCAL_BASE_URL: `${world.provider.url}/v1`,
      ALLOW_PRIVATE_TARGETS: 'true',
      WORKER: 'off',
      ASYNC_CONCURRENCY: '0',
    },
  });
  const endpoint = { url: world.provider.url };
  const { id } = await world.tenant.newAgent({ model: 'http/long', endpoint });
  const api = apiClient(service.url, world.tenant.key);
  for (const [behaviour, times] of [
    [json, 120],
    [events, 40],
    [escapes, 40],
  ] as const) {
    world.provider.behave(behaviour);
    const calls = Array.from({ length: times }, async () => {
      const { status, headers } = await api.call('invokeAgent', message(id, 'Hi'));
      return status === 503 ? `503 after ${headers.get('retry-after')}` : `${status}`;
    });
    const statuses = new Set(await Promise.all(calls));
    expect(statuses.has('200')).toBe(true);
    expect([...statuses].filter((status) => !/^(200|503 after \d)$/.test(status))).toEqual([]);
  }
  world.provider.behave(hang);
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  expect(await service.end('SIGTERM')).toBe(0);
}, 180_000);
