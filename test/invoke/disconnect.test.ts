/** A client that leaves before it has its answer. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { send } from '../helpers/api.js';
import { eventually } from '../helpers/eventually.js';
import { insertWebhook } from '../helpers/rows.js';
import { hang } from '../runtime/provider-server.js';
import { answer, chatCompletions, stall } from '../runtime/wire-formats.js';
import { eventsOf, openStream } from './event-reader.js';
import { message, startWorld, tracesOf, turn, type World } from './world.js';

let world: World;

beforeAll(async () => {
  world = await startWorld();
  const { database } = world.service;
  const webhook = await insertWebhook(database, world.tenant.accountId);
  await database.prisma.webhook.update({
    where: { id: webhook },
    data: { events: ['agent.failed'] },
  });
});

afterAll(() => world.stop());

async function lastInvocation(agentId: string) {
  const found = await world.service.database.prisma.invocation.findFirstOrThrow({
    where: { agentId },
    orderBy: { id: 'desc' },
  });
  return tracesOf(world.service, found.id);
}

async function untilAsked() {
  await eventually(() => {
    expect(world.provider.received).toHaveLength(1);
  });
}

const authorization = () => ({ authorization: `Bearer ${world.tenant.key}` });

describe('the model call is stopped, and the invocation recorded as cancelled', () => {
  test('when a plain request is given up', async () => {
    world.provider.behave(hang);
    const { id } = await world.newAgent();
    const client = new AbortController();
    const asking = send(world.service.url, 'invokeAgent', {
      ...message(id, 'Hi', { headers: authorization() }),
      signal: client.signal,
    });
    await untilAsked();
    client.abort();
    await expect(asking).rejects.toThrow();
    await world.provider.received[0]?.closed;
    expect(world.provider.received[0]?.wasAborted()).toBe(true);
    const traces = await eventually(() => lastInvocation(id));
    expect(traces.invocation).toMatchObject({ status: 'failed', errorCode: 'cancelled' });
    expect(traces.memory).toEqual([]);
    expect(traces.logs.at(-1)).toMatchObject({ level: 'warn', metadata: { code: 'cancelled' } });
    expect(traces.events).toMatchObject([
      {
        type: 'agent.failed',
        body: {
          data: {
            error: {
              code: 'cancelled',
              message: 'The caller disconnected before the agent answered.',
            },
          },
        },
        deliveredTo: [expect.any(String)],
      },
    ]);
  });

  test('when a stream is given up in the middle', async () => {
    world.provider.behave(stall(chatCompletions, ['On ']));
    const { id } = await world.newAgent();
    const client = new AbortController();
    const { signal } = client;
    const { service, tenant } = world;
    const response = await openStream(service.url, tenant.key, message(id, 'Hi', { signal }));
    const first = await eventsOf(response).next();
    expect(first.value).toEqual({ event: 'delta', data: { text: 'On ' } });
    client.abort();
    await world.provider.received[0]?.closed;
    expect(world.provider.received[0]?.wasAborted()).toBe(true);
    const traces = await eventually(() => lastInvocation(id));
    expect(traces.invocation).toMatchObject({ status: 'failed', errorCode: 'cancelled' });
  });

  test('when it was still waiting for its turn in the session, which it does not hold up', async () => {
    const { id } = await world.newAgent();
    world.provider.behave(stall(chatCompletions, ['On ']), answer(chatCompletions, ['Third']));
    const first = new AbortController();
    const second = new AbortController();
    const { url } = world.service;
    const headers = authorization();
    const firstTurn = send(url, 'invokeAgent', {
      ...turn(id, 'chat', 'First'),
      headers,
      signal: first.signal,
    });
    await untilAsked();
    const secondTurn = send(url, 'invokeAgent', {
      ...turn(id, 'chat', 'Second'),
      headers,
      signal: second.signal,
    });
    await eventually(async () => {
      const lease = await world.service.database.prisma.sessionLease.findFirst({
        where: { agentId: id },
      });
      expect(lease?.waited).toBe(true);
    });
    second.abort();
    await expect(secondTurn).rejects.toThrow();
    const traces = await eventually(() => lastInvocation(id));
    expect(traces.invocation).toMatchObject({ status: 'failed', errorCode: 'cancelled' });
    const thirdTurn = world.tenant.api.expect('invokeAgent', 200, turn(id, 'chat', 'Third'));
    first.abort();
    await expect(firstTurn).rejects.toThrow();
    expect((await thirdTurn).data.response).toBe('Third');
    expect(await world.service.database.prisma.sessionLease.count()).toBe(0);
  });
});

test('nothing is reported to the log as a fault of ours', () => {
  const levels = world.service.log.map((line) => (JSON.parse(line) as { level: string }).level);
  expect(levels).not.toContain('error');
});
