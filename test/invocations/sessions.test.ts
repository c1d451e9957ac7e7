/** Sessions: the messages of a session stay in order, whichever instances they are sent to. */
import { describe, expect, test } from '@jest/globals';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/service/fixture.js';
import { exchange, requestText } from '../helpers/servers/raw-http.js';
import type { Behaviour } from '../helpers/model-provider/received.js';
import { answer, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import { message, messageIn, recordsOf, useServiceWithModel } from './service-with-model.js';

const fixture = useServiceWithModel();
const other = useFixture(() => fixture.service.another());

interface Said {
  role: string;
  content: string;
}

function conversationOf(body: unknown): Said[] {
  return (body as { messages: Said[] }).messages;
}

/** Answers this many messages with the last message, each once the next one waits for the session. */
function echoOneByOne(messages: number, inFlight: { now: number; most: number }): Behaviour {
  let asked = 0;
  return async (res, { body }) => {
    asked += 1;
    inFlight.now += 1;
    inFlight.most = Math.max(inFlight.most, inFlight.now);
    if (asked < messages) await eventually(untilWaited);
    inFlight.now -= 1;
    answer(chatCompletions, [`Re: ${conversationOf(body).at(-1)?.content ?? ''}`])(res);
  };
}

async function untilWaited(): Promise<void> {
  expect(await fixture.service.database.prisma.sessionLease.findMany()).toMatchObject([
    { waited: true },
  ]);
}

async function remembered(agentId: string): Promise<Said[]> {
  const entries = await fixture.service.database.prisma.memoryEntry.findMany({
    where: { agentId },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  return entries.map(({ role, content }) => ({
    role: role === 'agent' ? 'assistant' : 'user',
    content,
  }));
}

describe('messages of one session', () => {
  test('sent to two instances at once never interleave, and each sees all earlier ones', async () => {
    const inFlight = { now: 0, most: 0 };
    fixture.provider.behave(echoOneByOne(16, inFlight));
    const { id } = await fixture.newAgent({ historyLimit: 100 });
    const [here, there] = [fixture.tenant.api, other.api(fixture.tenant.key)];
    const messages = Array.from({ length: 16 }, (_, index) => `Message ${index}`);
    await Promise.all(
      messages.map((text, index) =>
        (index % 2 === 0 ? here : there).expect('invokeAgent', 200, messageIn('chat', id, text)),
      ),
    );
    expect(inFlight.most).toBe(1);
    const said = await remembered(id);
    expect(said).toHaveLength(32);
    for (let index = 0; index < said.length; index += 2) {
      const [user, agent] = [said[index], said[index + 1]];
      expect(agent).toEqual({ role: 'assistant', content: `Re: ${user?.content ?? ''}` });
    }
    const heard = fixture.provider.received.map(({ body }) => conversationOf(body));
    heard.forEach((conversation, index) => {
      expect(conversation).toEqual(said.slice(0, 2 * index + 1));
    });
    expect(await fixture.service.database.prisma.sessionLease.count()).toBe(0);
  });

  test('on one instance run in the order of arrival', async () => {
    const texts = ['one', 'two', 'three', 'four'];
    fixture.provider.behave(echoOneByOne(texts.length, { now: 0, most: 0 }));
    const { id } = await fixture.newAgent();
    // All on one connection, which keeps them in order.
    const requests = texts.map((text, index) => {
      const body = JSON.stringify({ message: text, context: { session_id: 'chat' } });
      const headers = {
        Authorization: `Bearer ${fixture.tenant.key}`,
        'Content-Type': 'application/json',
        'Content-Length': String(body.length),
        Connection: index === texts.length - 1 ? 'close' : 'keep-alive',
      };
      return requestText('POST', `/v1/agents/${id}/invoke`, headers, body);
    });
    await exchange(fixture.service.url, requests.join(''));
    const said = await remembered(id);
    expect(said.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual(texts);
  });

  test('delay no other session, and no message without a session', async () => {
    let waiting: (() => void)[] = [];
    // No message is answered until three are at the model.
    fixture.provider.behave(async (res) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 3) for (const go of waiting) go();
      });
      answer(chatCompletions, ['Yes'])(res);
    });
    const { id } = await fixture.newAgent({ timeoutMs: 10_000 });
    await Promise.all([
      fixture.tenant.api.expect('invokeAgent', 200, messageIn('one', id, 'Hi')),
      fixture.tenant.api.expect('invokeAgent', 200, messageIn('two', id, 'Hi')),
      fixture.tenant.api.expect('invokeAgent', 200, message(id, 'Hi')),
    ]);
    waiting = [];
  });

  test('continue after a failed one', async () => {
    const { id } = await fixture.newAgent({ model: 'openai/not-configured' });
    await fixture.tenant.api.expect('invokeAgent', 502, messageIn('chat', id, 'Hi'));
    await fixture.tenant.api.expect('invokeAgent', 502, messageIn('chat', id, 'Hi'));
    expect(await fixture.service.database.prisma.sessionLease.count()).toBe(0);
  });
});

describe("the model's history", () => {
  test.each([
    [0, ['Message 4']],
    [1, ['Message 3', 'Yes', 'Message 4']],
    [2, ['Message 2', 'Yes', 'Message 3', 'Yes', 'Message 4']],
  ])('with a limit of %i is no longer than that', async (historyLimit, expected) => {
    fixture.provider.behave(answer(chatCompletions, ['Yes']));
    const { id } = await fixture.newAgent({ historyLimit });
    for (const index of [1, 2, 3, 4]) {
      await fixture.tenant.api.expect(
        'invokeAgent',
        200,
        messageIn('chat', id, `Message ${index}`),
      );
    }
    const last = conversationOf(fixture.provider.received.at(-1)?.body);
    expect(last.map(({ content }) => content)).toEqual(expected);
  });

  test('excludes other sessions, other agents and failed messages', async () => {
    const { id } = await fixture.newAgent();
    const { id: another } = await fixture.newAgent();
    fixture.provider.behave(answer(chatCompletions, ['Yes']));
    await fixture.tenant.api.expect('invokeAgent', 200, messageIn('other', id, 'Other session'));
    await fixture.tenant.api.expect('invokeAgent', 200, messageIn('chat', another, 'Other agent'));
    await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'No session'));
    fixture.provider.behave((res) => void res.writeHead(401).end());
    await fixture.tenant.api.expect('invokeAgent', 502, messageIn('chat', id, 'Failed'));
    fixture.provider.behave(answer(chatCompletions, ['Yes']));
    await fixture.tenant.api.expect('invokeAgent', 200, messageIn('chat', id, 'Hi'));
    expect(conversationOf(fixture.provider.received[0]?.body)).toEqual([
      { role: 'user', content: 'Hi' },
    ]);
  });
});

describe('a lease', () => {
  const lease = async (agentId: string, ms: number) => {
    await fixture.service.database.prisma.sessionLease.create({
      data: {
        accountId: fixture.tenant.accountId,
        agentId,
        sessionId: 'chat',
        owner: 'another owner',
        leaseUntil: new Date(Date.now() + ms),
      },
    });
  };

  test('of another owner is waited for until the timeout, without calling the model', async () => {
    fixture.provider.behave(answer(chatCompletions, ['Yes']));
    const { id } = await fixture.newAgent({ timeoutMs: 400 });
    await lease(id, 60_000);
    await fixture.tenant.api.expect('invokeAgent', 504, messageIn('chat', id, 'Hi'));
    expect(fixture.provider.received).toHaveLength(0);
  });

  test('of a dead owner is taken over when it expires', async () => {
    fixture.provider.behave(answer(chatCompletions, ['Yes']));
    const { id } = await fixture.newAgent();
    await lease(id, 700);
    await fixture.tenant.api.expect('invokeAgent', 200, messageIn('chat', id, 'Hi'));
  });

  test('that was lost during the model call discards the message', async () => {
    const { id } = await fixture.newAgent();
    const { prisma } = fixture.service.database;
    fixture.provider.behave(async (res) => {
      await prisma.sessionLease.updateMany({ where: { agentId: id }, data: { owner: 'thief' } });
      answer(chatCompletions, ['Too late'])(res);
    });
    const reply = await fixture.tenant.api.call('invokeAgent', messageIn('chat', id, 'Hi'));
    expect(reply).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    const traces = await recordsOf(fixture.service, reply.headers.get('x-request-id') ?? '');
    expect(traces.invocation).toMatchObject({ status: 'failed', errorCode: 'unavailable' });
    expect(traces.memory).toEqual([]);
    expect(await prisma.sessionLease.count({ where: { owner: 'thief' } })).toBe(1);
  });
});
