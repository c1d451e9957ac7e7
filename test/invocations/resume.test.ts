/** Streams with an Idempotency-Key: a client that lost its connection gets the rest from any instance. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { tiers } from '../../server/accounts/tiers.js';
import type { Call } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import type { TestInstance } from '../helpers/service/service.js';
import { answer, chatCompletions, cut, stall } from '../helpers/model-provider/wire-formats.js';
import { type IdentifiedEvent, openStream, textOf } from './event-reader.js';
import { createFakeModel, type FakeModel } from './fake-model.js';
import { effectsOn, message, messageIn, useServiceWithModel } from './service-with-model.js';
import { after, type Client, keyed, streamClientOf } from './stream-client.js';

const fixture = useServiceWithModel();
let there: TestInstance;
/** An instance with a short grace period. */
let hasty: TestInstance;
const graceMs = 2_000;

beforeAll(async () => {
  there = await fixture.service.another();
  hasty = await fixture.service.another({ STREAM_GRACE_MS: String(graceMs) });
});

const connect = streamClientOf(fixture);

const statusOf = async (call: Call, { url }: { url: string } = there) =>
  (await openStream(url, fixture.tenant.key, call)).status;

/** A stream that has sent "One ", and a client that has received it. */
async function begun(
  instance: { url: string } = fixture.service,
  headers: Record<string, string> = {},
): Promise<{ id: string; call: Call; client: Client; first: IdentifiedEvent; model: FakeModel }> {
  const model = createFakeModel();
  fixture.provider.behave(model.reply);
  const { id } = await fixture.newAgent();
  const plain = keyed(id);
  const call = { ...plain, headers: { ...plain.headers, ...headers } };
  const connected = connect(call, instance);
  await model.say('One ');
  const client = await connected;
  return { id, call, client, first: await client.next(), model };
}

async function untilRecorded(agentId: string, errorCode: string | null) {
  await eventually(async () => {
    const found = await fixture.service.database.prisma.invocation.findFirst({
      where: { agentId },
      orderBy: { id: 'desc' },
    });
    expect(found).toMatchObject({ errorCode });
  });
}

describe('the id of an event', () => {
  test.each([true, false])('exists with a key: %p; ids are unique', async (hasKey) => {
    const { id } = await fixture.newAgent();
    const events = await (await connect(hasKey ? keyed(id) : message(id, 'Hi'))).rest();
    expect(textOf(events)).toBe('On its way.');
    const ids = events.map((event) => event.id);
    expect(new Set(ids).size).toBe(ids.length);
    const others = await (await connect(message(id, 'Hi'))).rest();
    expect(ids).not.toContain(others[0]?.id);
  });
});

describe('a client that lost its connection', () => {
  test('continues at another instance where it left off, while the model is sending', async () => {
    const { id, call, client, first, model } = await begun();
    client.leave();
    await model.say('two ');
    const resumed = await connect(after(call, first.id), there);
    expect(resumed.replayed).toBe('true');
    const second = await resumed.next();
    expect(second).toMatchObject({ event: 'delta', data: { text: 'two ' } });
    // It loses this connection as well.
    resumed.leave();
    await model.say('three');
    await model.finish();
    const rest = await (await connect(after(call, second.id))).rest();
    expect(textOf(rest)).toBe('three');
    expect(rest.at(-1)).toMatchObject({
      event: 'done',
      data: { response: 'One two three', request_id: client.requestId },
    });
    expect(fixture.provider.received).toHaveLength(1);
    expect(await effectsOn(fixture.service, id)).toEqual({ invocations: 1, memories: 2 });
  });

  test('gets the same events after each id, also long after the end', async () => {
    const { call, client, first, model } = await begun();
    await model.say('two ');
    const second = await client.next();
    await model.say('three');
    await model.finish();
    const events = [first, second, ...(await client.rest())];
    expect(textOf(events)).toBe('One two three');
    for (const [index, event] of events.entries()) {
      const isLast = index === events.length - 1;
      for (const instance of [fixture.service, there]) {
        if (isLast) {
          expect(await statusOf(after(call, event.id), instance)).toBe(409);
        } else {
          const rest = await (await connect(after(call, event.id), instance)).rest();
          expect(rest).toEqual(events.slice(index + 1));
        }
      }
    }
    expect(await (await connect(call, there)).rest()).toEqual(events);
  });

  test('before its first event gets all of them by repeating the request', async () => {
    const model = createFakeModel();
    fixture.provider.behave(model.reply);
    const { id } = await fixture.newAgent();
    const call = keyed(id);
    const client = await connect(call);
    await fixture.provider.asked(1);
    client.leave();
    const again = await connect(call, there);
    await model.say('One ', 'two');
    await model.finish();
    const events = await again.rest();
    expect(textOf(events)).toBe('One two');
    expect(events.at(-1)?.event).toBe('done');
    expect(fixture.provider.received).toHaveLength(1);
  });

  test('delays the next message of its session until its response is complete', async () => {
    const model = createFakeModel();
    fixture.provider.behave(model.reply, answer(chatCompletions, ['Later']));
    const { id } = await fixture.newAgent();
    const call = { ...messageIn('chat', id, 'First'), headers: keyed(id).headers ?? {} };
    const connected = connect(call);
    await model.say('One ');
    const client = await connected;
    const first = await client.next();
    client.leave();
    const next = fixture.tenant.api.expect('invokeAgent', 200, messageIn('chat', id, 'Second'));
    await model.say('two');
    await model.finish();
    expect(textOf(await (await connect(after(call, first.id), there)).rest())).toBe('two');
    expect((await next).data.response).toBe('Later');
    expect(fixture.provider.received[1]?.body).toMatchObject({
      messages: [
        { role: 'user', content: 'First' },
        { role: 'assistant', content: 'One two' },
        { role: 'user', content: 'Second' },
      ],
    });
  });

  test('gets characters that were sent in two parts', async () => {
    const { call, client, first, model } = await begun();
    client.leave();
    const [high = '', low = ''] = '😀'.split('');
    await model.say(`\u0001 ${high}`);
    await model.say(low);
    await model.finish();
    const rest = await (await connect(after(call, first.id), there)).rest();
    expect(rest.at(-1)).toMatchObject({ event: 'done' });
    const { response } = (rest.at(-1) as Extract<IdentifiedEvent, { event: 'done' }>).data;
    expect(`One ${textOf(rest)}`).toBe(response);
  });
});

describe('a repeat without Last-Event-ID', () => {
  test('follows the stream from its beginning, or is a 409 if it does not accept events', async () => {
    const { call, client, first, model } = await begun();
    expect((await fixture.tenant.api.call('invokeAgent', call)).status).toBe(409);
    const other = await connect(call, there);
    expect(await other.next()).toEqual(first);
    await model.say('two');
    await model.finish();
    const rest = await client.rest();
    expect(await other.rest()).toEqual(rest);
    expect(textOf(rest)).toBe('two');
  });

  test('of a request without a stream is a 409 while that runs', async () => {
    const model = createFakeModel();
    fixture.provider.behave(model.reply);
    const { id } = await fixture.newAgent();
    const call = keyed(id);
    const first = fixture.tenant.api.expect('invokeAgent', 200, call);
    await model.say('One ');
    expect(await statusOf(call)).toBe(409);
    await model.finish();
    await first;
    const [delta, done] = await (await connect(call, there)).rest();
    expect(await (await connect(after(call, delta?.id ?? ''), there)).rest()).toEqual([done]);
  });
});

describe('the grace period', () => {
  test('ends an invocation without followers; the key is free after that', async () => {
    const { id, call, client, first } = await begun(hasty);
    client.leave();
    await untilRecorded(id, 'cancelled');
    await fixture.provider.received[0]?.closed;
    const [end] = await (await connect(after(call, first.id), there)).rest();
    expect(end).toMatchObject({ event: 'error', data: { code: 'unavailable' } });
    fixture.provider.behave(answer(chatCompletions, ['Anew']));
    const anew = await connect(call, there);
    expect(anew.replayed).toBeNull();
    expect(textOf(await anew.rest())).toBe('Anew');
    // The old stream is still stored, and not mixed with the new one.
    expect(await (await connect(after(call, first.id))).rest()).toEqual([end]);
  });

  test('does not end while a client follows at another instance', async () => {
    const { call, client, first, model } = await begun(hasty);
    const { prisma } = fixture.service.database;
    // The following instance has the same setting, as all of them should.
    const follower = await fixture.service.another({ STREAM_GRACE_MS: String(graceMs) });
    const resumed = await connect(after(call, first.id), follower);
    client.leave();
    const lookFor = async (moment: Date) => {
      const found = await prisma.idempotencyRecord.findFirst({
        where: { followedAt: { gt: moment } },
      });
      expect(found).not.toBeNull();
    };
    // Twice as long as the grace period.
    const { followedAt } = await eventually(() =>
      prisma.idempotencyRecord.findFirstOrThrow({ where: { followedAt: { not: null } } }),
    );
    await eventually(() => lookFor(new Date((followedAt?.getTime() ?? 0) + 2 * graceMs)), 30_000);
    await model.say('two');
    await model.finish();
    expect(textOf(await resumed.rest())).toBe('two');
  });

  test('is skipped with Prefer: grace=0', async () => {
    const { id, client } = await begun(fixture.service, { prefer: 'grace=0' });
    client.leave();
    await untilRecorded(id, 'cancelled');
  });

  test('ends when a following client disconnects for good, on any instance', async () => {
    for (const instance of [fixture.service, there]) {
      const { id, call, client, first } = await begun();
      client.leave();
      const goodbye = { ...call, headers: { ...call.headers, prefer: 'grace=0' } };
      const lastEventId = instance === there ? first.id : '0';
      (await connect(after(goodbye, lastEventId), instance)).leave();
      await untilRecorded(id, 'cancelled');
    }
  });

  test('does not raise the concurrency limit of an account', async () => {
    const small = await fixture.service.tenant({ tier: 'free' });
    const { id } = await small.newAgent({ model: 'local/llama3.2' });
    fixture.provider.behave(stall(chatCompletions, ['One ']));
    const limit = tiers.free.concurrentInvocations;
    for (let count = 0; count < limit; count += 1) {
      const client = await connect(keyed(id), fixture.service, small);
      await client.next();
      client.leave();
    }
    const { status } = await small.api.call('invokeAgent', message(id, 'Hi'));
    expect(status).toBe(429);
  });
});

test('an account can follow as many streams at a time as it may run', async () => {
  const small = await fixture.service.tenant({ tier: 'free' });
  const { id } = await small.newAgent({ model: 'local/llama3.2' });
  fixture.provider.behave(stall(chatCompletions, ['One ']));
  const call = keyed(id);
  const client = await connect(call, fixture.service, small);
  const limit = tiers.free.concurrentInvocations;
  const followers = await Promise.all(
    Array.from({ length: limit }, () => connect(call, there, small)),
  );
  await expect(connect(call, there, small)).rejects.toThrow(/^429/);
  followers[0]?.leave();
  const another = await eventually(() => connect(call, there, small));
  for (const one of [client, another, ...followers]) one.leave();
});

describe('a stream that failed', () => {
  test('ends with its error when it is resumed', async () => {
    const { id } = await fixture.newAgent();
    fixture.provider.behave(cut(chatCompletions, ['One ']));
    const call = keyed(id);
    const client = await connect(call);
    const first = await client.next();
    const [error] = await client.rest();
    expect(error).toMatchObject({ event: 'error', data: { code: 'upstream_error' } });
    expect(await (await connect(after(call, first.id), there)).rest()).toEqual([error]);
    expect(fixture.provider.received).toHaveLength(1);
    fixture.provider.behave(answer(chatCompletions, ['Anew']));
    expect(textOf(await (await connect(call, there)).rest())).toBe('Anew');
  });

  test('ends with the same error for followers at other instances', async () => {
    const { call, client, first, model } = await begun();
    const follower = await connect(after(call, first.id), there);
    await model.breakOff();
    const [error] = await client.rest();
    expect(error).toMatchObject({ event: 'error', data: { code: 'upstream_error' } });
    expect(await follower.rest()).toEqual([error]);
  });

  test('without a recorded result ends as unavailable, and can be run again', async () => {
    const { id, call, client, first, model } = await begun();
    const { prisma } = fixture.service.database;
    const follower = await connect(after(call, first.id), there);
    // As if its instance had died and its lease had expired.
    await prisma.idempotencyRecord.deleteMany({ where: { owner: client.requestId } });
    expect(await follower.rest()).toMatchObject([
      { event: 'error', data: { code: 'unavailable', retry_after: 1 } },
    ]);
    await model.finish();
    expect(await client.rest()).toMatchObject([{ event: 'error', data: { code: 'conflict' } }]);
    fixture.provider.behave(answer(chatCompletions, ['Anew']));
    expect(textOf(await (await connect(call, there)).rest())).toBe('Anew');
    expect(await effectsOn(fixture.service, id)).toEqual({ invocations: 1, memories: 2 });
  });
});
