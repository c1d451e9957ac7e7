/** Every provider against a real server with its wire format, including failures. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ModelFailure } from '../../server/models/model.js';
import { eventually } from '../helpers/eventually.js';
import { talk as talkAt, type TalkOptions } from './conversation.js';
import { hang, html, refusal, refuse, status } from '../helpers/model-provider/failures.js';
import { startModelProvider } from '../helpers/model-provider/provider.js';
import type { Behaviour } from '../helpers/model-provider/received.js';
import { useModelProvider } from '../helpers/model-provider/use-model-provider.js';
import {
  answer,
  anthropicMessages,
  breakOff,
  chatCompletions,
  cut,
  garble,
  openaiResponses,
  ownEvents,
  stall,
  type WireFormat,
} from '../helpers/model-provider/wire-formats.js';

const provider = useModelProvider();

const talk = (model: string, options?: TalkOptions) => talkAt(provider.url, model, options);

const formats: [model: string, format: WireFormat][] = [
  ['openai/gpt-4o', openaiResponses],
  ['anthropic/claude-sonnet-4-5', anthropicMessages],
  ['local/llama3.2', chatCompletions],
  ['http/own', ownEvents],
];

describe.each(formats)('%s', (model, format) => {
  const upstream = format === ownEvents ? 'endpoint' : 'provider';

  beforeEach(() => {
    provider.behave(answer(format, ['On ', 'its way', '.']));
  });

  test('passes on words as they come, and counts the tokens', async () => {
    const said = await talk(model);
    expect(said).toMatchObject({ text: 'On its way.', tokens: 8, retries: [] });
  });

  test('counts the usage reported before the stream was cut, or else an estimate', async () => {
    provider.behave(cut(format, ['On ']));
    const said = await talk(model);
    expect(said).toMatchObject({ text: 'On ', failure: expect.any(ModelFailure) });
    if (format === anthropicMessages) expect(said.tokens).toBe(6);
    else expect(said.tokens).toBeGreaterThan(0);
  });

  test('receives the conversation', async () => {
    await talk(model);
    const sent = JSON.stringify(provider.received[0]?.body);
    for (const words of ['Hi', 'Hello!', 'Where is my order?']) expect(sent).toContain(words);
  });

  test.each([500, 503, 529])('retries after status %i', async (code) => {
    provider.behave(status(code), status(code), answer(format, ['Here']));
    const said = await talk(model);
    expect(said).toMatchObject({ text: 'Here', failure: undefined });
    expect(said.retries.map(({ retry }) => retry)).toEqual([1, 2]);
  });

  test('gives up after two retries', async () => {
    provider.behave(status(500));
    const said = await talk(model);
    expect(provider.received).toHaveLength(3);
    expect(said.failure).toMatchObject({
      message: `the ${upstream} answered with status 500`,
      said: '[redacted]',
      rateLimited: false,
    });
  });

  test.each([400, 401, 403, 404])('does not retry after status %i', async (code) => {
    provider.behave(status(code));
    const said = await talk(model);
    expect(provider.received).toHaveLength(1);
    expect(said.failure).toMatchObject({
      message: `the ${upstream} answered with status ${code}`,
      said: '[redacted]',
      retryable: false,
    });
  });

  test('waits as long as a 429 asks for', async () => {
    provider.behave(status(429, { 'retry-after': '1' }), answer(format, ['Here']));
    const said = await talk(model);
    expect(said).toMatchObject({ text: 'Here', retries: [{ retry: 1, of: 2 }] });
    // Up to a fifth more, so that callers who were told the same do not return together.
    expect(said.retries[0]?.waitMs).toBeGreaterThanOrEqual(990);
    expect(said.retries[0]?.waitMs).toBeLessThanOrEqual(1_200);
  });

  test('gives up after two retries of a 429 if a caller waits, and otherwise at its deadline', async () => {
    const limit = status(429, { 'retry-after-ms': '20' });
    provider.behave(limit);
    expect((await talk(model)).failure).toMatchObject({ rateLimited: true });
    expect(provider.received).toHaveLength(3);
    provider.behave(limit, limit, limit, limit, answer(format, ['Here']));
    const said = await talk(model, { isPatient: true });
    expect(said).toMatchObject({ text: 'Here', failure: undefined });
    expect(said.retries.map(({ retry, of }) => [retry, of])).toEqual([
      [1, undefined],
      [2, undefined],
      [3, undefined],
      [4, undefined],
    ]);
    provider.behave(limit);
    const late = await talk(model, { isPatient: true, deadline: Date.now() + 1_000 });
    expect(late.failure).toMatchObject({ rateLimited: true });
    expect(provider.received.length).toBeGreaterThan(3);
  });

  test('does not wait for a 429 that asks for more time than is left', async () => {
    provider.behave(status(429, { 'retry-after': '60' }));
    const said = await talk(model, { deadline: Date.now() + 5_000 });
    expect(provider.received).toHaveLength(1);
    expect(said.failure).toMatchObject({ rateLimited: true, retryAfterMs: 60_000 });
  });

  const brokenBeginnings: [string, Behaviour][] = [
    ['an HTML page', html],
    ['a closed connection', refuse],
    ['a stream that ends before any text', breakOff(format, [])],
    ['a stream of garbage', garble(format, [])],
  ];
  test.each(brokenBeginnings)('retries after %s', async (_, behaviour) => {
    provider.behave(behaviour, answer(format, ['Here']));
    const said = await talk(model);
    expect(said).toMatchObject({ text: 'Here', failure: undefined });
    expect(said.retries).toHaveLength(1);
  });

  const brokenMiddles: [string, Behaviour][] = [
    ['loses the connection', cut(format, ['On ', 'its'])],
    ['ends the stream', breakOff(format, ['On ', 'its'])],
    ['sends garbage', garble(format, ['On ', 'its'])],
  ];
  test.each(brokenMiddles)(
    'fails, without a retry, when it %s in the middle',
    async (_, broken) => {
      provider.behave(broken);
      const said = await talk(model);
      expect(said.text).toBe('On its');
      expect(said.failure).toBeInstanceOf(ModelFailure);
      expect(provider.received).toHaveLength(1);
    },
  );

  test.each([
    ['never answers', hang],
    ['stops in the middle', stall(format, ['On '])],
  ])('is aborted, with its connection, when it %s', async (_, behaviour) => {
    provider.behave(behaviour);
    const controller = new AbortController();
    const reason = new Error('time is over');
    const talking = talk(model, {
      signal: controller.signal,
      onText: () => {
        controller.abort(reason);
      },
    });
    if (behaviour === hang) {
      await eventually(() => {
        expect(provider.received).toHaveLength(1);
      });
      controller.abort(reason);
    }
    expect((await talking).fault).toBe(reason);
    const [request] = provider.received;
    await request?.closed;
    expect(request?.wasAborted()).toBe(true);
  });

  test('fails at once when a 429 asks for a longer wait than a caller accepts', async () => {
    provider.behave(status(429, { 'retry-after': '30' }), answer(format, ['Here']));
    const said = await talk(model, { deadline: Date.now() + 60_000 });
    expect(said.retries).toEqual([]);
    expect(said.failure).toMatchObject({
      message: `the ${upstream} answered with status 429 and asks to wait 30 s`,
      said: '[redacted]',
      rateLimited: true,
      retryAfterMs: 30_000,
    });
  });

  test("repeats the provider's error text, without the key that was sent", async () => {
    provider.behave((res, request) => {
      const { headers } = request;
      const key = String(headers['x-api-key'] ?? headers.authorization ?? 'none')
        .split(' ')
        .pop();
      const message = `The model does not exist, or ${key} has no access to it.`;
      return refusal(404, { error: { message, type: 'not_found' } })(res, request);
    });
    const said = await talk(model);
    const key = model.startsWith('http/') ? 'none' : '[redacted]';
    expect(said.failure).toMatchObject({
      message: `the ${upstream} answered with status 404`,
      said: `The model does not exist, or ${key} has no access to it.`,
    });
    expect(said.failure?.cause).toBeUndefined();
  });

  test.each([
    [{ error: 'model not found, try pulling it first' }, 'model not found, try pulling it first'],
    [{ detail: 'Not Found' }, 'Not Found'],
    [
      { message: 'Incorrect API key provided: abcd****wxyz.' },
      'Incorrect API key provided: [redacted]',
    ],
    [
      '<html><head><title>x</title></head><body><h1>502 Bad\n\u0007Gateway</h1></body></html>',
      '502 Bad Gateway',
    ],
    ['', undefined],
  ])('turns the error %j into %j', async (body, words) => {
    provider.behave(refusal(401, body));
    const said = await talk(model);
    expect(said.failure).toMatchObject({
      message: `the ${upstream} answered with status 401`,
      said: words,
    });
  });

  test('truncates long error texts', async () => {
    provider.behave(refusal(400, { error: { message: 'too long '.repeat(1_000) } }));
    const said = await talk(model);
    expect(said.failure?.said?.length).toBeLessThan(400);
    expect(said.failure?.said).toMatch(/…$/);
  });

  test('is retried when nothing listens, and the failure says so', async () => {
    const gone = await startModelProvider();
    await gone.stop();
    const said = await talkAt(gone.url, model);
    expect(said.failure?.message).toMatch(/^the connection to the (provider|endpoint) failed/);
    expect(said.retries).toHaveLength(2);
  });
});
