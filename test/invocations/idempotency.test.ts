/** Invoke Agent with an Idempotency-Key: however often it is repeated, it has one effect. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { type Call, send } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { hang, status } from '../helpers/model-provider/failures.js';
import { answer, answerLater, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import { streamed } from './event-reader.js';
import { effectsOn, message, useServiceWithModel } from './service-with-model.js';

const fixture = useServiceWithModel();

function keyed(agentId: string, text = 'Hi', key: string = randomUUID()): Call {
  return message(agentId, text, { headers: { 'idempotency-key': key } });
}

describe('a repeat', () => {
  test('gets the stored response, byte for byte, and nothing runs again', async () => {
    const { id } = await fixture.newAgent();
    const call = keyed(id);
    const first = await fixture.tenant.api.call('invokeAgent', call);
    const second = await fixture.tenant.api.call('invokeAgent', call);
    expect(second.body).toEqual(first.body);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(fixture.provider.received).toHaveLength(1);
    expect(await effectsOn(fixture.service, id)).toEqual({ invocations: 1, memories: 2 });
  });

  test('that asks for a stream gets the stored response as a stream', async () => {
    const { id } = await fixture.newAgent();
    const call = keyed(id);
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, call);
    const reply = await streamed(fixture.service.url, fixture.tenant.key, call);
    expect(reply.headers.get('idempotency-replayed')).toBe('true');
    expect(reply.events).toEqual([
      { event: 'delta', data: { text: 'On its way.' } },
      { event: 'done', data },
    ]);
  });

  test('of a stream gets the same result as plain JSON', async () => {
    const { id } = await fixture.newAgent();
    const call = keyed(id);
    const { events } = await streamed(fixture.service.url, fixture.tenant.key, call);
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, call);
    expect(events.at(-1)).toEqual({ event: 'done', data });
    expect(fixture.provider.received).toHaveLength(1);
  });

  test('with another body is a 422', async () => {
    const { id } = await fixture.newAgent();
    const key = randomUUID();
    await fixture.tenant.api.expect('invokeAgent', 200, keyed(id, 'One', key));
    await fixture.tenant.api.expect('invokeAgent', 422, keyed(id, 'Another', key));
  });

  test('while the first runs is a 409 with Retry-After', async () => {
    const held = answerLater(chatCompletions, ['Yes']);
    fixture.provider.behave(held.reply);
    const { id } = await fixture.newAgent();
    const call = keyed(id);
    const first = fixture.tenant.api.expect('invokeAgent', 200, call);
    await fixture.provider.asked(1);
    const repeat = await fixture.tenant.api.call('invokeAgent', call);
    expect(repeat.status).toBe(409);
    expect(repeat.headers.get('retry-after')).toBe('1');
    held.finish();
    await first;
  });

  test('after a failure runs again', async () => {
    const { id } = await fixture.newAgent();
    const call = keyed(id);
    fixture.provider.behave(status(401));
    await fixture.tenant.api.expect('invokeAgent', 502, call);
    fixture.provider.behave(answer(chatCompletions, ['Yes']));
    const again = await fixture.tenant.api.call('invokeAgent', call);
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotency-replayed')).toBeNull();
    expect(await effectsOn(fixture.service, id)).toEqual({ invocations: 2, memories: 2 });
  });

  test('after its client disconnected runs again', async () => {
    fixture.provider.behave(hang);
    const { id } = await fixture.newAgent();
    const call = keyed(id);
    const client = new AbortController();
    const asking = send(fixture.service.url, 'invokeAgent', {
      ...call,
      headers: { ...call.headers, authorization: `Bearer ${fixture.tenant.key}` },
      signal: client.signal,
    });
    await fixture.provider.asked(1);
    client.abort();
    await expect(asking).rejects.toThrow();
    fixture.provider.behave(answer(chatCompletions, ['Yes']));
    await eventually(() => fixture.tenant.api.expect('invokeAgent', 200, call));
  });
});

test('a hundred requests at once with one key, on two instances, have one effect', async () => {
  const { id } = await fixture.tenant.newAgent({ model: 'builtin/echo' });
  const other = await fixture.service.another();
  const [here, there] = [fixture.tenant.api, other.api(fixture.tenant.key)];
  const call = keyed(id, 'Once');
  const replies = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      (index % 2 === 0 ? here : there).call('invokeAgent', call),
    ),
  );
  const answers = replies.filter((reply) => reply.status === 200);
  const conflicts = replies.filter((reply) => reply.status === 409);
  expect(answers.length + conflicts.length).toBe(100);
  expect(new Set(answers.map((reply) => JSON.stringify(reply.body))).size).toBe(1);
  const originals = answers.filter((reply) => !reply.headers.has('idempotency-replayed'));
  expect(originals).toHaveLength(1);
  expect(await effectsOn(fixture.service, id)).toEqual({ invocations: 1, memories: 2 });
});

test('a request that another process has taken over records nothing', async () => {
  const { id } = await fixture.newAgent();
  const { prisma } = fixture.service.database;
  fixture.provider.behave(async (res) => {
    await prisma.idempotencyRecord.updateMany({
      where: { state: 'running' },
      data: { owner: 'another process' },
    });
    answer(chatCompletions, ['Yes'])(res);
  });
  await fixture.tenant.api.expect('invokeAgent', 409, keyed(id));
  expect(await effectsOn(fixture.service, id)).toEqual({ invocations: 0, memories: 0 });
  const record = await prisma.idempotencyRecord.findFirst({ where: { state: 'running' } });
  expect(record?.owner).toBe('another process');
});
