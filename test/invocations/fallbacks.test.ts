/** Fallbacks: another model answers when the agent's own fails before its first text. */
import { describe, expect, test } from '@jest/globals';
import { hang, refuse, status } from '../helpers/model-provider/failures.js';
import { startModelProvider } from '../helpers/model-provider/provider.js';
import type { Behaviour } from '../helpers/model-provider/received.js';
import { answer, callTools, chatCompletions, cut } from '../helpers/model-provider/wire-formats.js';
import { streamed } from './event-reader.js';
import { message, recordsOf, useServiceWithModel } from './service-with-model.js';

const fixture = useServiceWithModel();
const fallbacks = ['local/second', 'local/third'];
const newAgent = (timeoutMs = 60_000, model = 'local/llama3.2') =>
  fixture.newAgent({ model, timeoutMs, options: { fallbacks } });

const called = () =>
  fixture.provider.received.map(({ body }) => String(Reflect.get(Object(body), 'model')));
const instead = answer(chatCompletions, ['From ', 'another.']);

describe('a fallback answers', () => {
  test.each<[string, Behaviour]>([
    ['that is overloaded', status(503)],
    ['that limits its rate', status(429, { 'retry-after': '3600' })],
    ['that refuses the key', status(401)],
    ['that does not know the model', status(404)],
    ['that closes the connection', refuse],
    ['that ends without any text', cut(chatCompletions, [])],
  ])('instead of a provider %s', async (problem, failing) => {
    // A model of its own, since a rate limit lasts.
    const name = `model-${problem.replaceAll(' ', '-')}`;
    const { id } = await newAgent(60_000, `local/${name}`);
    fixture.provider.behave(failing, instead);
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'Hi'));
    expect(data.response).toBe('From another.');
    expect(called()).toEqual([name, 'second']);
    const { invocation, logs } = await recordsOf(fixture.service, data.request_id);
    expect(logs.filter(({ level }) => level === 'warn')).toMatchObject([
      {
        level: 'warn',
        message: expect.stringMatching(
          /^Model local\/model-\S+ failed: .*; local\/second takes over$/,
        ),
        metadata: { model: `local/${name}`, fallback: 'local/second' },
      },
    ]);
    expect(logs.at(-1)?.metadata).toMatchObject({ model: 'local/second' });
    expect(invocation?.model).toBe('local/second');
  });

  test('at once while a rate limit lasts, without asking again', async () => {
    const { id } = await newAgent(60_000, 'local/limited');
    fixture.provider.behave(status(429, { 'retry-after': '3600' }), instead);
    for (let call = 1; call <= 2; call += 1) {
      await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'Hi'));
    }
    expect(called()).toEqual(['limited', 'second', 'second']);
  });

  test("instead of one that hangs, within the agent's time limit", async () => {
    const { id } = await newAgent(6_000);
    fixture.provider.behave(hang, instead);
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'Hi'));
    expect(data.response).toBe('From another.');
    const { logs } = await recordsOf(fixture.service, data.request_id);
    expect(logs.map(({ message: said }) => said)).toContainEqual(
      expect.stringMatching(
        /no text within \d+ ms, its share of the agent's timeout; local\/second/,
      ),
    );
  });

  test('in order', async () => {
    const { id } = await newAgent();
    fixture.provider.behave(status(500), status(500), instead);
    await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'Hi'));
    expect(called()).toEqual(['llama3.2', 'second', 'third']);
  });

  test('instead of a provider that is not configured', async () => {
    const { id } = await fixture.newAgent({ model: 'openai/gpt-5', options: { fallbacks } });
    fixture.provider.behave(instead);
    await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'Hi'));
    expect(called()).toEqual(['second']);
  });

  test('at its own address, and in a stream', async () => {
    const other = await startModelProvider();
    other.behave(answer(chatCompletions, ['Elsewhere.']));
    const instance = await fixture.service.another({ OPENAI_API_KEY: 'sk-test' });
    const { id } = await fixture.newAgent({ options: { fallbacks: ['local/second'] } });
    fixture.provider.behave(status(500), instead);
    const { events } = await streamed(instance.url, fixture.tenant.key, message(id, 'Hi'));
    expect(events.map(({ event }) => event)).toEqual(['delta', 'delta', 'done']);
    await instance.stop();
    await other.stop();
  });
});

test('with retries, if it is the last one', async () => {
  const { id } = await newAgent();
  fixture.provider.behave(status(500), status(500), status(500), instead);
  await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'Hi'));
  expect(called()).toEqual(['llama3.2', 'second', 'third', 'third']);
});

test('a model that fails after its first text has no fallback, and no text is repeated', async () => {
  const { id } = await newAgent();
  fixture.provider.behave(cut(chatCompletions, ['Half ']), instead);
  const { events } = await streamed(fixture.service.url, fixture.tenant.key, message(id, 'Hi'));
  expect(events.map(({ event }) => event)).toEqual(['delta', 'error']);
  expect(called()).toEqual(['llama3.2']);
});

test('a fallback continues with the tool results so far', async () => {
  const { id } = await fixture.newAgent({
    options: {
      fallbacks: ['local/second'],
      tools: {
        maxSteps: 5,
        http: [
          {
            name: 'time',
            description: 'The time.',
            method: 'GET',
            // A failed connection is a result too.
            url: 'http://127.0.0.1:9/time',
            parameters: { type: 'object', properties: {} },
            timeout: '30s',
          },
        ],
      },
    },
  });
  const calling = callTools([{ name: 'time', arguments: {} }]);
  fixture.provider.behave(calling, status(500), calling, instead);
  const { data } = await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'Hi'));
  expect(data.response).toBe('From another.');
  expect(called()).toEqual(['llama3.2', 'llama3.2', 'second', 'second']);
});
