/** OpenAI-compatible servers differ in what they take: the schema of the response, JSON without a schema, or neither; and the temperature. */
import { describe, expect, test } from '@jest/globals';
import { localModels, type LocalSettings } from '../../server/runtime/providers/local.js';
import { converse } from '../../server/runtime/converse.js';
import type { ModelFailure } from '../../server/runtime/model.js';
import { countNothing, prompt } from './conversation.js';
import { type Behaviour, refusal, useProvider } from './provider-server.js';
import { answer, chatCompletions } from './wire-formats.js';

const provider = useProvider();
const schema = { type: 'object', properties: { city: { type: 'string' } } };
const json = answer(chatCompletions, ['{"city": ', '"Ghent"}']);

interface Asked {
  retries: ModelFailure[];
  fallbacks: string[];
  text: string;
  failure: unknown;
}

/** A server with these settings, and a function that asks a model of it for JSON. */
function serverWith(settings: Partial<LocalSettings> = {}) {
  const open = localModels({ baseUrl: `${provider.url}/v1`, apiKey: undefined, ...settings });
  return async (name = 'm', fallbacks: string[] = []): Promise<Asked> => {
    const asked: Asked = { retries: [], fallbacks: [], text: '', failure: undefined };
    const candidate = (model: string) => ({
      name: `lmstudio/${model}`,
      open: () => Promise.resolve(open(model)),
    });
    await converse(
      [candidate(name), ...fallbacks.map(candidate)],
      { ...prompt },
      {
        accountId: 'acc_1',
        signal: new AbortController().signal,
        deadline: Date.now() + 30_000,
        countReceived: countNothing,
        output: { schema, check: (text) => Promise.resolve({ json: text }) },
        onText: (text) => (asked.text += text),
        onTokens: () => undefined,
        onRetry: ({ failure }) => asked.retries.push(failure),
        onFallback: ({ to }) => asked.fallbacks.push(to),
        onNextCall: () => undefined,
      },
    ).catch((error: unknown) => (asked.failure = error));
    return asked;
  };
}

const formats = () =>
  provider.received.map(({ body }) => {
    const { response_format: format } = body as { response_format?: { type: string } };
    return format?.type;
  });

describe('with an output schema', () => {
  test('the server gets the schema, not in strict mode', async () => {
    provider.behave(json);
    await serverWith()();
    expect(provider.received[0]?.body).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { schema, strict: false } },
    });
  });

  test('a server without structured outputs gets only the wish for JSON', async () => {
    provider.behave(json);
    await serverWith({ structuredOutputs: false })();
    expect(formats()).toEqual(['json_object']);
  });

  const refusals: [string, Behaviour][] = [
    [
      'LM Studio',
      refusal(400, { error: "'response_format.type' must be 'json_schema' or 'text'" }),
    ],
    [
      'DeepSeek',
      refusal(400, { error: { message: 'This response_format type is unavailable now' } }),
    ],
  ];
  test.each(refusals)(
    'what %s refuses is left out, now and later, for this model',
    async (_, refused) => {
      provider.behave(refused, json);
      const ask = serverWith();
      const first = await ask('m', ['another']);
      expect(first).toMatchObject({ text: '{"city": "Ghent"}', fallbacks: [] });
      expect(first.retries.map(({ message }) => message)).toEqual([
        'the provider answered with status 400: it does not take the response_format, which is left out now',
      ]);
      expect(first.retries[0]?.said).toMatch(/response_format/);
      expect((await ask('m')).retries).toEqual([]);
      await ask('another');
      expect(formats()).toEqual(['json_schema', undefined, undefined, 'json_schema']);
      const [sent] = provider.received.slice(1);
      expect(JSON.stringify(sent?.body)).toContain('nothing but JSON that fits this schema');
    },
  );

  test('another error with status 400 is not repeated', async () => {
    provider.behave(refusal(400, { error: { message: 'No such model.' } }));
    expect((await serverWith()()).failure).toMatchObject({ said: 'No such model.' });
    expect(provider.received).toHaveLength(1);
  });
});

test('a server gets its headers, and shows none of them', async () => {
  provider.behave(refusal(401, { error: { message: 'The key k-4711 is wrong.' } }));
  const asked = await serverWith({ headers: { 'X-Key': 'k-4711' } })();
  expect(provider.received[0]?.headers).toMatchObject({ 'x-key': 'k-4711' });
  expect(asked.failure).toMatchObject({ said: 'The key [redacted] is wrong.' });
});

test('the temperature is not sent to a server that takes none', async () => {
  provider.behave(json);
  await serverWith()();
  await serverWith({ temperature: false })();
  const sent = provider.received.map(({ body }) => Reflect.has(body as object, 'temperature'));
  expect(sent).toEqual([true, false]);
});
