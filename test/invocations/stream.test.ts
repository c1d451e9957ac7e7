/** Invoke Agent as a stream of server-sent events. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hang, html, refuse, status } from '../helpers/model-provider/failures.js';
import type { Behaviour } from '../helpers/model-provider/received.js';
import {
  answer,
  breakOff,
  chatCompletions,
  cut,
  garble,
  stall,
} from '../helpers/model-provider/wire-formats.js';
import { eventsOf, openStream, streamed, textOf } from './event-reader.js';
import { message, messageIn, recordsOf, useServiceWithModel } from './service-with-model.js';

const fixture = useServiceWithModel();

describe('a stream', () => {
  test('sends words as they come, then the same data as the plain response', async () => {
    const { id } = await fixture.newAgent();
    const reply = await streamed(fixture.service.url, fixture.tenant.key, message(id, 'Where?'));
    expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const request_id = reply.headers.get('x-request-id') ?? '';
    expect(reply.events).toEqual([
      { event: 'delta', data: { text: 'On ' } },
      { event: 'delta', data: { text: 'its way.' } },
      {
        event: 'done',
        data: {
          response: 'On its way.',
          request_id,
          tokens_used: 7,
          duration_ms: expect.any(Number),
          status: 'completed',
          finish_reason: 'stop',
          usage: expect.any(Object),
        },
      },
    ]);
    const { invocation, memory } = await recordsOf(fixture.service, request_id);
    expect(invocation?.status).toBe('succeeded');
    expect(memory).toHaveLength(2);
  });

  test('begins before the model is done', async () => {
    let finish: () => void = () => undefined;
    fixture.provider.behave((res) => {
      chatCompletions.say(res, ['First ']);
      finish = () => {
        chatCompletions.say(res, ['second.']);
        chatCompletions.finish(res, { input: 1, output: 1 });
      };
    });
    const { id } = await fixture.newAgent();
    const { service, tenant } = fixture;
    const response = await openStream(service.url, tenant.key, message(id, 'Go'));
    const events = eventsOf(response);
    expect((await events.next()).value).toEqual({ event: 'delta', data: { text: 'First ' } });
    finish();
    const rest = [];
    for await (const { event } of events) rest.push(event);
    expect(rest).toEqual(['delta', 'done']);
  });

  test('of an empty response is a single done event', async () => {
    fixture.provider.behave(answer(chatCompletions, []));
    const { id } = await fixture.newAgent();
    const reply = await streamed(fixture.service.url, fixture.tenant.key, message(id, 'Hi'));
    expect(reply.events).toMatchObject([{ event: 'done', data: { response: '' } }]);
  });

  test('sends done only after the exchange is recorded: the next message sees it', async () => {
    const { id } = await fixture.tenant.newAgent();
    for (let round = 1; round <= 5; round += 1) {
      await streamed(
        fixture.service.url,
        fixture.tenant.key,
        messageIn('chat', id, `Round ${round}`),
      );
      const { prisma } = fixture.service.database;
      expect(await prisma.memoryEntry.count({ where: { agentId: id } })).toBe(2 * round);
    }
  });

  test('of a long response is complete for a client that reads slowly', async () => {
    const words = Array.from({ length: 800 }, (_, index) => `${index} ${'x'.repeat(300)} `);
    fixture.provider.behave(answer(chatCompletions, words));
    const { id } = await fixture.newAgent();
    const { service, tenant } = fixture;
    const response = await openStream(service.url, tenant.key, message(id, 'Much'));
    let text = '';
    let pauses = 0;
    for await (const event of eventsOf(response)) {
      if (event.event === 'delta') text += event.data.text;
      if (event.event === 'done') expect(event.data.response).toBe(words.join(''));
      pauses += 1;
      if (pauses % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(text).toBe(words.join(''));
  });
});

describe('the media type of the response', () => {
  const cases: [accept: string, type: string][] = [
    ['text/event-stream', 'text/event-stream'],
    ['text/event-stream, application/json;q=0.9', 'text/event-stream'],
    ['text/event-stream;q=0.9, application/json', 'application/json'],
    ['application/json, text/event-stream', 'application/json'],
    ['text/event-stream;q=0', 'application/json'],
    ['text/*', 'application/json'],
    ['*/*', 'application/json'],
    ['text/html', 'application/json'],
  ];
  test.each(cases)('for Accept: %s is %s', async (accept, type) => {
    const { id } = await fixture.tenant.newAgent();
    const headers = { accept };
    const { service, tenant } = fixture;
    const response = await openStream(service.url, tenant.key, message(id, 'Hi', { headers }));
    expect(response.headers.get('content-type')?.split(';')[0]).toBe(type);
    await response.text();
  });
});

describe('a failure before the first word', () => {
  const failures: [code: string, behaviour: Behaviour][] = [
    ['upstream_error', status(401)],
    ['unavailable', status(429, { 'retry-after': '60' })],
    ['timeout', hang],
  ];
  test.each(failures)('is the only event of the stream: %s', async (code, behaviour) => {
    fixture.provider.behave(behaviour);
    // A model of its own, since a rate limit lasts.
    const model = `local/model-${code}`;
    const { id } = await fixture.newAgent({ model, timeoutMs: code === 'timeout' ? 400 : 60_000 });
    const reply = await streamed(fixture.service.url, fixture.tenant.key, message(id, 'Hi'));
    expect(reply).toMatchObject({ status: 200, events: [{ event: 'error', data: { code } }] });
  });
});

describe('a failure after the first word', () => {
  const failures: [name: string, code: string, behaviour: Behaviour][] = [
    ['a lost connection', 'upstream_error', cut(chatCompletions, ['On '])],
    ['a missing end event', 'upstream_error', breakOff(chatCompletions, ['On '])],
    ['garbage', 'upstream_error', garble(chatCompletions, ['On '])],
    ['silence', 'timeout', stall(chatCompletions, ['On '])],
  ];
  test.each(failures)('such as %s is the last event: %s', async (_, code, behaviour) => {
    fixture.provider.behave(behaviour);
    const { id } = await fixture.newAgent({ timeoutMs: code === 'timeout' ? 5_000 : 60_000 });
    const reply = await streamed(fixture.service.url, fixture.tenant.key, message(id, 'Hi'));
    expect(reply.events).toEqual([
      { event: 'delta', data: { text: 'On ' } },
      { event: 'error', data: { code, message: expect.any(String) } },
    ]);
    const { invocation, memory } = await recordsOf(
      fixture.service,
      reply.headers.get('x-request-id') ?? '',
    );
    expect(invocation).toMatchObject({ status: 'failed', errorCode: code });
    expect(memory).toEqual([]);
  });
});

test('a stream always ends with exactly one done or error event', async () => {
  const { id } = await fixture.newAgent({ timeoutMs: 1_200 });
  const words = fc.array(fc.constantFrom('a ', 'b', 'über ', '😀', '\n'), { maxLength: 4 });
  const endings = [answer, cut, breakOff, garble, stall].map((end) =>
    words.map((said) => end(chatCompletions, said)),
  );
  const refusals = fc.constantFrom(refuse, html, status(500), status(429), status(400), hang);
  const behaviours = fc.array(fc.oneof(...endings, refusals), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(behaviours, async (script) => {
      fixture.provider.behave(...script);
      const response = await openStream(fixture.service.url, fixture.tenant.key, message(id, 'Hi'));
      const requestId = response.headers.get('x-request-id') ?? '';
      expect(response.status).toBe(200);
      const events = [];
      for await (const event of eventsOf(response)) events.push(event);
      const last = events.pop();
      expect(events.every(({ event }) => event === 'delta')).toBe(true);
      expect(['done', 'error']).toContain(last?.event);
      if (last?.event === 'done') expect(last.data.response).toBe(textOf(events));
      const { invocation } = await recordsOf(fixture.service, requestId);
      expect(['succeeded', 'failed']).toContain(invocation?.status);
    }),
    { numRuns: 8 },
  );
});
