/** Which streams a Last-Event-ID resumes, and which events are stored for it. */
import { describe, expect, test } from '@jest/globals';
import { newId } from '../../server/lib/data/typeid.js';
import { pruneStreamEvents } from '../../server/invocations/streams/stream-events.js';
import type { Call } from '../helpers/service/api.js';
import { purgeAll } from '../helpers/database/purging.js';
import { answer, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import { openStream, textOf } from './event-reader.js';
import { message, recordsOnceFinished, useServiceWithModel } from './service-with-model.js';
import { after, keyed, streamClientOf } from './stream-client.js';

const fixture = useServiceWithModel();
const connect = streamClientOf(fixture);

const statusOf = async (call: Call) =>
  (await openStream(fixture.service.url, fixture.tenant.key, call)).status;

describe('Last-Event-ID', () => {
  test('is rejected without a key, without events, and if it is not an event id', async () => {
    const { id } = await fixture.newAgent();
    const known = `${newId('req')}.1`;
    const refused: [Call, string][] = [
      [after(message(id, 'Hi'), known), 'text/event-stream'],
      [after(keyed(id), known), 'application/json'],
      [after(keyed(id), 'one'), 'text/event-stream'],
      [after(keyed(id), `${newId('req')}.x`), 'text/event-stream'],
      [after(keyed(id), `${newId('req')}.0`), 'text/event-stream'],
    ];
    for (const [call, accept] of refused) {
      const { status, body } = await fixture.tenant.api.call('invokeAgent', {
        ...call,
        headers: { ...call.headers, accept },
      });
      expect(status).toBe(400);
      expect(body).toMatchObject({
        error: {
          code: 'invalid_request',
          details: [{ field: expect.stringMatching(/last-event-id/i) }],
        },
      });
    }
    expect(fixture.provider.received).toHaveLength(0);
  });

  test('never runs an agent: for an unknown stream it is a 409 that says what to do', async () => {
    const { id } = await fixture.newAgent();
    const call = keyed(id);
    const [first] = await (await connect(keyed(id))).rest();
    const ahead = await (await connect(call)).rest();
    fixture.provider.behave(answer(chatCompletions, ['No']));
    const ids = [first?.id ?? '', `${newId('req')}.1`, (ahead[0]?.id ?? '').replace(/\d+$/, '99')];
    expect(await statusOf(after(keyed(id), '0'))).toBe(409);
    for (const lastEventId of ids) {
      const reply = await fixture.tenant.api.call('invokeAgent', {
        ...after(call, lastEventId),
        headers: { ...after(call, lastEventId).headers, accept: 'text/event-stream' },
      });
      expect(reply.status).toBe(409);
      expect(reply.body).toMatchObject({
        error: { code: 'conflict', message: expect.stringContaining('without Last-Event-ID') },
      });
    }
    expect(fixture.provider.received).toHaveLength(0);
  });

  test('of another caller is unknown, even with the same key', async () => {
    const { id } = await fixture.newAgent();
    const call = keyed(id);
    const [first] = await (await connect(call)).rest();
    const stranger = await fixture.tenant.newKey();
    await expect(connect(after(call, first?.id ?? ''), fixture.service, stranger)).rejects.toThrow(
      /^Error: 409|^409/,
    );
  });

  test('with another body is a 422', async () => {
    const { id } = await fixture.newAgent();
    const call = keyed(id);
    const [first] = await (await connect(call)).rest();
    const other = { ...after(call, first?.id ?? ''), body: { message: 'Something else' } };
    expect(await statusOf(other)).toBe(422);
  });
});

describe('stored stream events', () => {
  const stored = (agentId: string) =>
    fixture.service.database.prisma.streamEvent.count({ where: { agentId } });

  test('do not exist without a key or without a stream', async () => {
    const { id } = await fixture.newAgent();
    await (await connect(message(id, 'Hi'))).rest();
    await fixture.tenant.api.expect('invokeAgent', 200, keyed(id));
    expect(await stored(id)).toBe(0);
  });

  test('are one row per batch, and not per word', async () => {
    const { id } = await fixture.newAgent();
    const words = Array.from({ length: 1_000 }, (_, index) => `${index} `);
    fixture.provider.behave(answer(chatCompletions, words));
    const events = await (await connect(keyed(id))).rest();
    expect(textOf(events)).toBe(words.join(''));
    expect(await stored(id)).toBe(events.length - 1);
    expect(events.length).toBeLessThan(words.length / 10);
  });

  test('are deleted with their agent, and after a day', async () => {
    const { database } = fixture.service;
    const { id } = await fixture.newAgent();
    const { id: other } = await fixture.newAgent();
    const { requestId, rest } = await connect(keyed(id));
    await rest();
    await (await connect(keyed(other))).rest();
    await recordsOnceFinished(fixture.service, requestId);
    expect(await stored(id)).toBeGreaterThan(0);
    await fixture.tenant.api.expect('deleteAgent', 200, { path: { agent_id: id } });
    await purgeAll(database);
    expect(await stored(id)).toBe(0);
    expect(await stored(other)).toBeGreaterThan(0);
    await pruneStreamEvents(database, new Date(Date.now() - 60_000), 1_000);
    expect(await stored(other)).toBeGreaterThan(0);
    await pruneStreamEvents(database, new Date(Date.now() + 1_000), 10_000);
    expect(await stored(other)).toBe(0);
  });
});
