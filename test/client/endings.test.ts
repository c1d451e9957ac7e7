/** Time-outs and aborts: a call ends when it should, with the reason, and leaves nothing behind. */
import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ConnectionError, ConnectionTimeoutError } from '../../client/src/index.js';
import { eventually } from '../helpers/eventually.js';
import {
  cut,
  data,
  drip,
  event,
  events,
  failing,
  hang,
  hangInBody,
  hangInHeaders,
  type HostileServer,
  startHostileServer,
} from './hostile-server.js';

let server: HostileServer;

beforeAll(async () => {
  server = await startHostileServer();
});

afterAll(() => server.stop());

const firstSocketIsClosed = () =>
  eventually(() => {
    expect(server.received[0]?.socket.destroyed).toBe(true);
  });

describe('A time-out', () => {
  test.each([
    ['before the answer', hang],
    ['in the middle of its headers', hangInHeaders],
    ['in the middle of its body', hangInBody],
    ['while its body goes on drop by drop', drip],
    ['in a stream of events that nobody asked for', events([event('delta', {})], 'hang')],
  ])('ends the attempt %s, and its connection', async (_name, answer) => {
    server.will(answer);
    const client = server.client({ timeout: 100, maxRetries: 0 });
    const error: unknown = await client.agents.get('bot').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConnectionTimeoutError);
    expect(error).toBeInstanceOf(ConnectionError);
    await firstSocketIsClosed();
  });

  test('is one of each attempt: a repeat gets its own', async () => {
    server.will(hang, hang, data({ id: 'agent_1' }));
    const client = server.client({ timeout: 100 });
    expect(await client.agents.get('bot')).toEqual({ id: 'agent_1' });
    expect(server.received).toHaveLength(3);
  });

  test('of the call goes before that of the client', async () => {
    server.will(hang);
    const client = server.client({ timeout: 60_000, maxRetries: 0 });
    const ended = expect(client.agents.get('bot', { timeout: 1_000 })).rejects.toThrow(
      ConnectionTimeoutError,
    );
    // A request that came only now would be taken for one of the next test.
    await eventually(() => {
      expect(server.received).toHaveLength(1);
    });
    await ended;
  });

  test('of 0 is none', async () => {
    server.will((response) =>
      setTimeout(() => {
        data()(response);
      }, 200),
    );
    await server.client({ timeout: 0, maxRetries: 0 }).agents.get('bot');
    expect(server.received).toHaveLength(1);
  });
});

describe('An aborted call', () => {
  const reason = new Error('no longer wanted');

  test('is not sent if it was aborted before', async () => {
    server.will(data());
    const signal = AbortSignal.abort(reason);
    await expect(server.client().agents.get('bot', { signal })).rejects.toBe(reason);
    expect(server.received).toHaveLength(0);
  });

  test.each([
    ['before the answer', hang],
    ['in the middle of its headers', hangInHeaders],
    ['in the middle of its body', hangInBody],
  ])(
    'rejects with the reason %s, closes its connection and is not repeated',
    async (_name, answer) => {
      server.will(answer);
      const controller = new AbortController();
      const { signal } = controller;
      const call = server.client().agents.get('bot', { signal });
      await eventually(() => {
        expect(server.received).toHaveLength(1);
      });
      controller.abort(reason);
      await expect(call).rejects.toBe(reason);
      await firstSocketIsClosed();
      expect(server.received).toHaveLength(1);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    },
  );

  test('is not sent if it is aborted while its key is fetched', async () => {
    server.will(data());
    const controller = new AbortController();
    const apiKey = () => {
      controller.abort(reason);
      return Promise.resolve('key');
    };
    const { signal } = controller;
    await expect(server.client({ apiKey }).agents.get('bot', { signal })).rejects.toBe(reason);
    expect(server.received).toHaveLength(0);
  });

  test('ends while it waits for the next try', async () => {
    server.will(failing(503, 'unavailable', { 'retry-after': '50' }));
    const controller = new AbortController();
    const call = server.client().agents.get('bot', { signal: controller.signal });
    await eventually(() => {
      expect(server.received).toHaveLength(1);
    });
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});

test('A signal that outlives many calls collects nothing from them', async () => {
  const { signal } = new AbortController();
  server.will(failing(500, 'server_error'), cut, data());
  await server.client().agents.get('bot', { signal });
  server.will(data());
  for (let count = 0; count < 20; count += 1) await server.client().agents.get('bot', { signal });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
