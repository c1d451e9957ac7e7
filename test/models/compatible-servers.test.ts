/** OpenAI-compatible servers differ in what they take: the schema of the response, JSON without a schema, or neither; and the temperature. */
import { describe, expect, test } from '@jest/globals';
import { localModels, type LocalSettings } from '../../server/models/providers/local.js';
import { converse } from '../../server/models/converse.js';
import { countNothing, prompt } from './conversation.js';
import { refusal } from '../helpers/model-provider/failures.js';
import type { ServerKind } from '../helpers/model-provider/settings.js';
import { useModelProvider } from '../helpers/model-provider/use-model-provider.js';
import { answer, chatCompletions } from '../helpers/model-provider/wire-formats.js';

const provider = useModelProvider();
const schema = { type: 'object', properties: { city: { type: 'string' } } };
const json = answer(chatCompletions, ['{"city": ', '"Ghent"}']);

interface Asked {
  retries: number;
  changed: string[];
  fallbacks: string[];
  text: string;
  failure: unknown;
}

/** A server with these settings, and a function that asks a model of it for JSON. */
function serverWith(settings: Partial<LocalSettings> = {}) {
  const open = localModels({ baseUrl: `${provider.url}/v1`, apiKey: undefined, ...settings });
  return async (name = 'm', fallbacks: string[] = []): Promise<Asked> => {
    const asked: Asked = {
      retries: 0,
      changed: [],
      fallbacks: [],
      text: '',
      failure: undefined,
    };
    const candidate = (model: string) => ({
      name: `lmstudio/${model}`,
      open: () => open(model),
    });
    await converse(
      [candidate(name), ...fallbacks.map(candidate)],
      { ...prompt },
      {
        queueKey: 'one',
        signal: new AbortController().signal,
        deadline: Date.now() + 30_000,
        countReceived: countNothing,
        outputSchema: schema,
        onText: (text) => (asked.text += text),
        onTokens: () => undefined,
        onRetry: () => (asked.retries += 1),
        onSettingChanged: ({ changed }) => asked.changed.push(changed),
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

  const refusals: [ServerKind, Partial<LocalSettings>, string, RegExp][] = [
    ['lmstudio', { structuredOutputs: false }, 'json_object', /response_format/],
    ['deepseek', {}, 'json_schema', /response_format type is unavailable/],
  ];
  test.each(refusals)(
    'what %s refuses is left out, now and later, for this model',
    async (kind, settings, format, refused) => {
      provider.configure({ kind });
      provider.expectRejections(refused);
      provider.behave(json);
      const ask = serverWith(settings);
      const first = await ask(kind, ['fallback']);
      expect(first).toMatchObject({ text: '{"city": "Ghent"}', fallbacks: [], retries: 0 });
      expect(first.changed).toEqual([
        expect.stringMatching(/schema is only part of the instructions/),
      ]);
      expect((await ask(kind)).changed).toEqual([]);
      await ask(`another of ${kind}`);
      expect(formats()).toEqual([format, undefined, undefined, format, undefined]);
      const [, sent] = provider.received;
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

describe('a setting that a model rejects', () => {
  test('is left out, and said', async () => {
    provider.configure({ models: { 'o3-mini': { reasoning: true } } });
    provider.expectRejections(/temperature/);
    provider.behave(json);
    const ask = serverWith();
    const first = await ask('o3-mini');
    expect(first).toMatchObject({ text: '{"city": "Ghent"}', failure: undefined, retries: 0 });
    const said = ['temperature is not sent, because the model does not take it'];
    expect(first.changed).toEqual(said);
    expect((await ask('o3-mini')).changed).toEqual(said);
    const sent = provider.received.map(({ body }) => Reflect.has(body as object, 'temperature'));
    expect(sent).toEqual([true, false, false]);
  });

  test('is sent again after an error that only mentions it', async () => {
    const error = { message: 'The text about the temperature is not allowed.' };
    provider.behave(refusal(400, { error }), refusal(400, { error }), json);
    const ask = serverWith();
    expect((await ask('mentioned')).failure).toMatchObject({ status: 400 });
    await ask('mentioned');
    const sent = provider.received.map(({ body }) => Reflect.has(body as object, 'temperature'));
    expect(sent).toEqual([true, false, true]);
  });
});
