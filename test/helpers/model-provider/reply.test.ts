/** The replies of the provider, as the libraries of the service read them. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { expect, test } from '@jest/globals';
import { jsonSchema, type LanguageModel, streamText, tool, type Tool } from 'ai';
import { localProvider } from '../../../server/models/providers/local.js';
import { openaiProvider } from '../../../server/models/providers/openai.js';
import { overloadedError } from './failures.js';
import { replyTo, type Step } from './provider.js';
import type { ApiName } from './rejection.js';
import { type Break, calling, type Reply } from './reply.js';
import { useModelProvider } from './use-model-provider.js';

const provider = useModelProvider();

const parameters = {
  type: 'object' as const,
  properties: { id: { type: 'string' as const }, note: { type: 'string' as const } },
  required: ['id'],
};

function modelOf(api: ApiName): LanguageModel {
  const baseUrl = `${provider.url}/v1`;
  if (api === 'chat') return localProvider({ baseUrl, apiKey: undefined })('llama3.2');
  if (api === 'responses') return openaiProvider({ baseUrl, apiKey: 'k' })('gpt-4o');
  return createAnthropic({ apiKey: 'k', baseURL: baseUrl })('claude-sonnet-4-5');
}

async function heard(api: ApiName, step: Step, strict?: boolean) {
  provider.behave(step);
  // The library's types require optional properties to be present as undefined.
  const refund: Tool = {
    ...tool({ inputSchema: jsonSchema(parameters) }),
    ...(strict === undefined ? {} : { strict }),
  };
  const result = streamText({
    model: modelOf(api),
    prompt: 'Hi',
    tools: { refund },
    maxRetries: 0,
    onError: () => undefined,
  });
  const said = { text: '', reasoning: '', errors: [] as string[], calls: [] as object[] };
  let end: object = {};
  try {
    for await (const part of result.fullStream) {
      if (part.type === 'text-delta') said.text += part.text;
      else if (part.type === 'reasoning-delta') said.reasoning += part.text;
      else if (part.type === 'error') said.errors.push(textOfError(part.error));
      else if (part.type === 'tool-call') {
        const { toolName, toolCallId } = part;
        said.calls.push({ name: toolName, input: part.input as unknown, id: toolCallId });
      } else if (part.type === 'finish') {
        const { inputTokens, outputTokens, inputTokenDetails, outputTokenDetails } =
          part.totalUsage;
        end = {
          finish: part.finishReason,
          input: inputTokens,
          output: outputTokens,
          cached: inputTokenDetails.cacheReadTokens,
          thought: outputTokenDetails.reasoningTokens,
        };
      }
    }
  } catch (error) {
    // A lost connection ends the stream itself.
    said.errors.push(textOfError(error));
  }
  return { ...said, ...end };
}

function textOfError(error: unknown): string {
  return error instanceof Error ? error.message : JSON.stringify(error);
}

const apis: ApiName[] = ['chat', 'responses', 'messages'];

test.each(apis)('%s: text, reasoning and several calls', async (api) => {
  const calls = [
    { name: 'refund', arguments: { id: '1', note: 'a' } },
    { name: 'refund', arguments: { id: '2', note: 'b' } },
  ];
  const said = await heard(api, { reasoning: ['H', 'm'], text: ['Let ', 'me.'], calls });
  expect(said).toMatchObject({
    text: 'Let me.',
    reasoning: 'Hm',
    errors: [],
    calls: calls.map(({ name, arguments: input }) => ({ name, input })),
    finish: 'tool-calls',
  });
  const ids = said.calls.map((call) => Reflect.get(call, 'id') as unknown);
  expect(new Set(ids).size).toBe(2);
});

test.each(apis)('%s: calls of any name and with any arguments', async (api) => {
  const said = await heard(api, calling({ name: 'functions.refund!', arguments: '{"id": ' }));
  expect(said.calls).toMatchObject([{ name: 'functions.refund!', input: '{"id": ' }]);
});

test.each<[ApiName, boolean | undefined, object]>([
  ['responses', undefined, { id: '1', note: 'filled in' }],
  ['responses', false, { id: '1' }],
  ['chat', undefined, { id: '1' }],
  ['messages', undefined, { id: '1' }],
])('%s with strict %s: optional parameters are given as %j', async (api, strict, input) => {
  const { calls } = await heard(api, calling({ name: 'refund', arguments: { id: '1' } }), strict);
  expect(calls).toMatchObject([{ input }]);
});

test.each(apis)('%s: reported usage', async (api) => {
  const usage = { input: 100, output: 9, cached: 60, reasoning: 4 };
  const said = await heard(api, { text: 'Yes', usage });
  expect(said).toMatchObject({ input: 100, output: 9, cached: 60 });
  if (api !== 'messages') expect(said).toMatchObject({ thought: 4 });
});

test.each(['chat', 'responses'] as const)('%s: no usage', async (api) => {
  const said = await heard(api, { text: 'Yes', usage: 'none' });
  expect(said).toMatchObject({ finish: 'stop', input: undefined, output: undefined });
});

test.each<[ApiName, Reply, string]>([
  ...apis.map((api): [ApiName, Reply, string] => [api, { text: 'a', finish: 'length' }, 'length']),
  ['chat', { text: 'a', finish: 'content_filter' }, 'content-filter'],
  ['responses', { text: 'a', finish: 'content_filter' }, 'content-filter'],
  ['responses', { refusal: 'No.' }, 'content-filter'],
  ['messages', { text: 'a', finish: 'refusal' }, 'content-filter'],
  ['messages', { text: 'a', finish: 'window' }, 'length'],
  ['chat', { text: 'a', finish: 'raw:abort' }, 'other'],
  ['chat', { ...calling({ name: 'refund', arguments: {} }), finish: 'stop' }, 'stop'],
])('%s: %j ends as %s', async (api, reply, finish) => {
  expect(await heard(api, reply)).toMatchObject({ finish });
});

test.each(apis)('%s: an error in the middle has the words of the provider', async (api) => {
  const by = overloadedError(api);
  const said = await heard(api, { text: 'On ', breaks: { after: 'text', by } });
  expect(said.text).toBe('On ');
  expect(said.errors.join()).toMatch(/overloaded/i);
});

const places: Break['after'][] = ['nothing', 'headers', 'text', 'half a call', 'calls'];

test.each(apis.flatMap((api) => places.map((after) => [api, after] as const)))(
  '%s: a connection that is cut after %s',
  async (api, after) => {
    const call = { name: 'refund', arguments: { id: '1', note: 'a' } };
    const said = await heard(api, { text: 'On ', calls: [call], breaks: { after, by: 'cut' } });
    expect(said.text).toBe(after === 'nothing' || after === 'headers' ? '' : 'On ');
    expect(said.errors).toHaveLength(1);
    if (after === 'half a call') expect(said.calls).toEqual([]);
  },
);

test.each(apis)('%s: a reply chosen by its request', async (api) => {
  const chosen = replyTo(({ messages, tools }) => `${messages.length} ${tools[0]?.name}`);
  expect(await heard(api, chosen)).toMatchObject({ text: '1 refund' });
  expect(provider.prompts()).toMatchObject([{ api, messages: [{ role: 'user', text: 'Hi' }] }]);
});
