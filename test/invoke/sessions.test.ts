/** Conversations: turns of one session stay in order, whichever instances they are sent to. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TestInstance } from '../helpers/service.js';
import { eventually } from '../helpers/eventually.js';
import type { Behaviour } from '../runtime/provider-server.js';
import { answer, chatCompletions } from '../runtime/wire-formats.js';
import { message, startWorld, tracesOf, turn, type World } from './world.js';

let world: World;
let other: TestInstance;

beforeAll(async () => {
  world = await startWorld();
  other = await world.service.another();
});

afterAll(() => world.stop());

interface Said {
  role: string;
  content: string;
}

function conversationOf(body: unknown): Said[] {
  return (body as { messages: Said[] }).messages;
}

/** Takes a little while, and answers with what it was told last. */
function slowEcho(inFlight: { now: number; most: number }): Behaviour {
  return async (res, { body }) => {
    inFlight.now += 1;
    inFlight.most = Math.max(inFlight.most, inFlight.now);
    await delay(15);
    inFlight.now -= 1;
    answer(chatCompletions, [`Re: ${conversationOf(body).at(-1)?.content ?? ''}`])(res);
  };
}

async function remembered(agentId: string): Promise<Said[]> {
  const entries = await world.service.database.prisma.memoryEntry.findMany({
    where: { agentId },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  return entries.map(({ role, content }) => ({
    role: role === 'agent' ? 'assistant' : 'user',
    content,
  }));
}

describe('turns of one session', () => {
  test('sent to two instances at once never interleave, and each hears all that came before', async () => {
    const inFlight = { now: 0, most: 0 };
    world.provider.behave(slowEcho(inFlight));
    const { id } = await world.newAgent({ historyLimit: 100 });
    const [here, there] = [world.tenant.api, other.api(world.tenant.key)];
    const turns = Array.from({ length: 16 }, (_, index) => `Turn ${index}`);
    await Promise.all(
      turns.map((text, index) =>
        (index % 2 === 0 ? here : there).expect('invokeAgent', 200, turn(id, 'chat', text)),
      ),
    );
    expect(inFlight.most).toBe(1);
    const said = await remembered(id);
    expect(said).toHaveLength(32);
    for (let index = 0; index < said.length; index += 2) {
      const [user, agent] = [said[index], said[index + 1]];
      expect(agent).toEqual({ role: 'assistant', content: `Re: ${user?.content ?? ''}` });
    }
    const heard = world.provider.received.map(({ body }) => conversationOf(body));
    heard.forEach((conversation, index) => {
      expect(conversation).toEqual(said.slice(0, 2 * index + 1));
    });
    expect(await world.service.database.prisma.sessionLease.count()).toBe(0);
  });

  test('of one instance are taken in the order in which they came', async () => {
    const inFlight = { now: 0, most: 0 };
    world.provider.behave(slowEcho(inFlight));
    const { id } = await world.newAgent();
    const replies: Promise<unknown>[] = [];
    for (const text of ['one', 'two', 'three', 'four']) {
      replies.push(world.tenant.api.expect('invokeAgent', 200, turn(id, 'chat', text)));
      await eventually(async () => {
        // Each is waiting, or done, before the next one is sent.
        const lease = await world.service.database.prisma.sessionLease.count();
        const done = await world.service.database.prisma.invocation.count({
          where: { agentId: id },
        });
        expect(lease + done).toBeGreaterThan(0);
      });
      await delay(5);
    }
    await Promise.all(replies);
    const said = await remembered(id);
    expect(said.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
      'one',
      'two',
      'three',
      'four',
    ]);
  });

  test('hold up no other session, and none of those without one', async () => {
    let waiting: (() => void)[] = [];
    // Nobody is answered until three are asking at once.
    world.provider.behave(async (res) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 3) for (const go of waiting) go();
      });
      answer(chatCompletions, ['Yes'])(res);
    });
    const { id } = await world.newAgent({ timeoutMs: 10_000 });
    await Promise.all([
      world.tenant.api.expect('invokeAgent', 200, turn(id, 'one', 'Hi')),
      world.tenant.api.expect('invokeAgent', 200, turn(id, 'two', 'Hi')),
      world.tenant.api.expect('invokeAgent', 200, message(id, 'Hi')),
    ]);
    waiting = [];
  });

  test('go on after one that failed', async () => {
    const { id } = await world.newAgent({ model: 'openai/not-configured' });
    await world.tenant.api.expect('invokeAgent', 502, turn(id, 'chat', 'Hi'));
    await world.tenant.api.expect('invokeAgent', 502, turn(id, 'chat', 'Hi'));
    expect(await world.service.database.prisma.sessionLease.count()).toBe(0);
  });
});

describe('what the model hears', () => {
  test.each([
    [0, ['Turn 4']],
    [1, ['Turn 3', 'Yes', 'Turn 4']],
    [2, ['Turn 2', 'Yes', 'Turn 3', 'Yes', 'Turn 4']],
  ])('with a history limit of %i is no more than that', async (historyLimit, expected) => {
    world.provider.behave(answer(chatCompletions, ['Yes']));
    const { id } = await world.newAgent({ historyLimit });
    for (const index of [1, 2, 3, 4]) {
      await world.tenant.api.expect('invokeAgent', 200, turn(id, 'chat', `Turn ${index}`));
    }
    const last = conversationOf(world.provider.received.at(-1)?.body);
    expect(last.map(({ content }) => content)).toEqual(expected);
  });

  test('is nothing of another session, of another agent, or of turns that failed', async () => {
    const { id } = await world.newAgent();
    const { id: another } = await world.newAgent();
    world.provider.behave(answer(chatCompletions, ['Yes']));
    await world.tenant.api.expect('invokeAgent', 200, turn(id, 'other', 'Other session'));
    await world.tenant.api.expect('invokeAgent', 200, turn(another, 'chat', 'Other agent'));
    await world.tenant.api.expect('invokeAgent', 200, message(id, 'No session'));
    world.provider.behave((res) => void res.writeHead(401).end());
    await world.tenant.api.expect('invokeAgent', 502, turn(id, 'chat', 'Failed'));
    world.provider.behave(answer(chatCompletions, ['Yes']));
    await world.tenant.api.expect('invokeAgent', 200, turn(id, 'chat', 'Hi'));
    expect(conversationOf(world.provider.received[0]?.body)).toEqual([
      { role: 'user', content: 'Hi' },
    ]);
  });
});

describe('a lease', () => {
  const lease = async (agentId: string, ms: number) => {
    await world.service.database.prisma.sessionLease.create({
      data: {
        agentId,
        sessionId: 'chat',
        owner: 'somebody else',
        leaseUntil: new Date(Date.now() + ms),
      },
    });
  };

  test('of somebody else is waited for up to the time-out, without asking the model', async () => {
    world.provider.behave(answer(chatCompletions, ['Yes']));
    const { id } = await world.newAgent({ timeoutMs: 400 });
    await lease(id, 60_000);
    await world.tenant.api.expect('invokeAgent', 504, turn(id, 'chat', 'Hi'));
    expect(world.provider.received).toHaveLength(0);
  });

  test('whose owner died is taken over when it ends', async () => {
    world.provider.behave(answer(chatCompletions, ['Yes']));
    const { id } = await world.newAgent();
    await lease(id, 700);
    await world.tenant.api.expect('invokeAgent', 200, turn(id, 'chat', 'Hi'));
  });

  test('that was lost while the model thought keeps the turn from counting', async () => {
    const { id } = await world.newAgent();
    const { prisma } = world.service.database;
    world.provider.behave(async (res) => {
      await prisma.sessionLease.updateMany({ where: { agentId: id }, data: { owner: 'thief' } });
      answer(chatCompletions, ['Too late'])(res);
    });
    const reply = await world.tenant.api.call('invokeAgent', turn(id, 'chat', 'Hi'));
    expect(reply).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    const traces = await tracesOf(world.service, reply.headers.get('x-request-id') ?? '');
    expect(traces.invocation).toMatchObject({ status: 'failed', errorCode: 'unavailable' });
    expect(traces.memory).toEqual([]);
    expect(await prisma.sessionLease.count({ where: { owner: 'thief' } })).toBe(1);
  });
});
