/** Stream events stored for resumption are encrypted, and deleted if they must not be remembered. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Call } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { tablesContaining } from '../helpers/database/tables-containing.js';
import {
  type IdentifiedEvent,
  identifiedEventsOf,
  openStream,
  textOf,
} from '../invocations/event-reader.js';
import { createFakeModel } from '../invocations/fake-model.js';
import { message, useServiceWithModel } from '../invocations/service-with-model.js';
import { answer, chatCompletions, cut } from '../helpers/model-provider/wire-formats.js';

const graceMs = 3_000;
const fixture = useServiceWithModel({ STREAM_GRACE_MS: String(graceMs) });

function keyed(agentId: string, context: object = {}): Call {
  return {
    ...message(agentId, 'What do I have?'),
    body: { message: 'What do I have?', context },
    headers: { 'idempotency-key': randomUUID() },
  };
}

const open = (call: Call, headers: Record<string, string> = {}) =>
  openStream(fixture.service.url, fixture.tenant.key, {
    ...call,
    headers: { ...call.headers, ...headers },
  });

async function eventsOf(response: Response): Promise<IdentifiedEvent[]> {
  const events: IdentifiedEvent[] = [];
  for await (const event of identifiedEventsOf(response)) events.push(event);
  return events;
}

const rowsOf = (agentId: string) =>
  fixture.service.database.prisma.streamEvent.findMany({ where: { agentId } });

async function untilDropped(agentId: string): Promise<void> {
  await eventually(async () => {
    expect(await rowsOf(agentId)).toEqual([]);
  });
}

const secretly = { user_id: 'grace', remember: false };

test('the events of a stream are encrypted', async () => {
  fixture.provider.behave(answer(chatCompletions, ['A rare ', 'dyschromatopsia.']));
  const { id } = await fixture.newAgent();
  const call = keyed(id, { user_id: 'grace' });
  const events = await eventsOf(await open(call));
  expect(await rowsOf(id)).not.toEqual([]);
  expect(await tablesContaining(fixture.service.database, 'dyschromatopsia')).not.toContain(
    'stream_events',
  );
  expect(await eventsOf(await open(call, { 'last-event-id': '0' }))).toEqual(events);
});

describe('a stream with remember: false', () => {
  test.each([
    ['its request', {}, secretly],
    ['its manifest', { options: { remember: false as const } }, {}],
  ])(
    'by %s can be resumed in the grace period, and is deleted after it',
    async (_by, agent, context) => {
      fixture.provider.behave(answer(chatCompletions, ['A rare ', 'tritanopia.']));
      const { id } = await fixture.newAgent(agent);
      const call = keyed(id, context);
      const events = await eventsOf(await open(call));
      expect(textOf(await eventsOf(await open(call, { 'last-event-id': '0' })))).toBe(
        'A rare tritanopia.',
      );
      expect(await tablesContaining(fixture.service.database, 'tritanopia')).toEqual([]);
      await untilDropped(id);
      const record = await fixture.service.database.prisma.idempotencyRecord.findFirstOrThrow({
        where: { owner: events[0]?.id.split('.')[0] ?? '' },
      });
      expect(record).toMatchObject({ state: 'completed', sealedResponse: null });
      // Neither the events, nor the stored response, nor a second run.
      for (const headers of [
        { 'last-event-id': '0' },
        { 'last-event-id': events[0]?.id ?? '' },
        {},
        { accept: 'application/json' },
      ]) {
        const reply = await open(call, headers);
        expect(reply.status).toBe(409);
        expect(await reply.json()).toMatchObject({
          error: { code: 'conflict', message: expect.stringContaining('no longer kept') },
        });
      }
      expect(fixture.provider.received).toHaveLength(1);
    },
  );

  test('is deleted also if it failed, and its key is free', async () => {
    fixture.provider.behave(cut(chatCompletions, ['A rare ']));
    const { id } = await fixture.newAgent();
    const call = keyed(id, secretly);
    const [first] = await eventsOf(await open(call));
    await untilDropped(id);
    expect((await open(call, { 'last-event-id': first?.id ?? '' })).status).toBe(409);
    fixture.provider.behave(answer(chatCompletions, ['Anew']));
    expect(textOf(await eventsOf(await open(call)))).toBe('Anew');
  });

  test('has its deletion time from the beginning, in case its instance dies', async () => {
    const model = createFakeModel();
    fixture.provider.behave(model.reply);
    const timeoutMs = 60_000;
    const { id } = await fixture.newAgent({ timeoutMs });
    const opened = open(keyed(id, secretly));
    await model.say('A rare ');
    const reply = await opened;
    const [row] = await eventually(async () => {
      const rows = await rowsOf(id);
      expect(rows).toHaveLength(1);
      return rows;
    });
    const leftMs = (row?.dropAt?.getTime() ?? 0) - Date.now();
    expect(leftMs).toBeGreaterThan(timeoutMs - 20_000);
    expect(leftMs).toBeLessThanOrEqual(timeoutMs + graceMs);
    await model.finish();
    await eventsOf(reply);
  });
});

test('a stream with remember: true is kept', async () => {
  const { id } = await fixture.newAgent();
  await eventsOf(await open(keyed(id)));
  expect((await rowsOf(id)).map(({ dropAt }) => dropAt)).not.toContainEqual(expect.any(Date));
});

describe('the erasure of a user', () => {
  const erase = async (user: string) => {
    const operator = operatorInProcess(fixture.service);
    const { name } = await fixture.service.database.prisma.account.findUniqueOrThrow({
      where: { id: fixture.tenant.accountId },
    });
    return operator.json('users', 'erase', user, '--yes', '--account', name);
  };

  test('deletes the stored responses of plain requests, which are then not run again', async () => {
    const { id } = await fixture.newAgent();
    const call = keyed(id, { user_id: 'clara' });
    await fixture.tenant.api.expect('invokeAgent', 200, call);
    await fixture.tenant.api.expect('invokeAgent', 200, call);
    expect(await erase('clara')).toMatchObject({ erased: { stored_answers: 1 } });
    const { error } = await fixture.tenant.api.expect('invokeAgent', 409, call);
    expect(error.message).toContain('its user was erased');
    expect(fixture.provider.received).toHaveLength(1);
  });

  test('keeps the response of another request that used the key after it was released', async () => {
    const { id } = await fixture.newAgent();
    const call = keyed(id, { user_id: 'emmy' });
    fixture.provider.behave(cut(chatCompletions, ['A ']));
    await eventsOf(await open(call));
    fixture.provider.behave(answer(chatCompletions, ['Anew']));
    const other = { ...call, body: { message: 'Hi', context: { user_id: 'lise' } } };
    await fixture.tenant.api.expect('invokeAgent', 200, other);
    expect(await erase('emmy')).toMatchObject({
      erased: { invocations: 1, stored_answers: 0, stream_events: 2 },
    });
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, other);
    expect(data.response).toBe('Anew');
  });
});
