/** Every provider against a real server that speaks its wire format, in good times and in bad. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type ConversationOptions, converse, type Retry } from '../../server/runtime/converse.js';
import { ModelFailure, type Prompt } from '../../server/runtime/model.js';
import { createModels, type Models } from '../../server/runtime/models.js';
import { eventually } from '../helpers/eventually.js';
import {
  type Behaviour,
  hang,
  html,
  type ProviderServer,
  refuse,
  startProvider,
  status,
} from './provider-server.js';
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
} from './wire-formats.js';

let provider: ProviderServer;
let models: Models;

beforeAll(async () => {
  provider = await startProvider();
  const baseUrl = `${provider.url}/v1`;
  models = createModels({
    openai: { apiKey: 'key-of-openai', baseUrl },
    anthropic: { apiKey: 'key-of-anthropic', baseUrl },
    local: { apiKey: 'key-of-local', baseUrl },
    allowPrivateTargets: true,
  });
});

afterAll(() => provider.stop());

const prompt: Prompt = {
  instructions: 'Be brief.',
  temperature: 0.3,
  history: [
    { role: 'user', content: 'Hi' },
    { role: 'agent', content: 'Hello!' },
  ],
  message: 'Where is my order?',
  context: { user_id: 'user-1', plan: 'gold' },
  agent: { id: 'agent_1', name: 'support-bot' },
  requestId: 'req_1',
};

interface Conversation {
  text: string;
  tokens: number | undefined;
  retries: Retry[];
  failure: ModelFailure | undefined;
  fault: unknown;
}

async function talk(
  model: string,
  options: { signal?: AbortSignal; deadline?: number; onText?: (text: string) => void } = {},
): Promise<Conversation> {
  const { signal = new AbortController().signal, deadline = Date.now() + 30_000 } = options;
  const said: Conversation = {
    text: '',
    tokens: undefined,
    retries: [],
    failure: undefined,
    fault: undefined,
  };
  const endpoint = { url: `${provider.url}/agent` };
  try {
    said.tokens = await converse(() => models.open({ model, endpoint }), prompt, {
      signal,
      deadline,
      firstPauseMs: 5,
      onText: (text) => {
        said.text += text;
        options.onText?.(text);
      },
      onRetry: (retry) => said.retries.push(retry),
    });
  } catch (fault) {
    said.fault = fault;
    said.failure = fault instanceof ModelFailure ? fault : undefined;
  }
  return said;
}

const formats: [model: string, format: WireFormat][] = [
  ['openai/gpt-4o', openaiResponses],
  ['anthropic/claude-sonnet-4-5', anthropicMessages],
  ['local/llama3.2', chatCompletions],
  ['http/own', ownEvents],
];

describe.each(formats)('%s', (model, format) => {
  beforeEach(() => {
    provider.behave(answer(format, ['On ', 'its way', '.']));
  });

  test('passes the words on as they come, and counts the tokens', async () => {
    const said = await talk(model);
    expect(said).toMatchObject({ text: 'On its way.', tokens: 8, retries: [] });
  });

  test('is told of the conversation', async () => {
    await talk(model);
    const sent = JSON.stringify(provider.received[0]?.body);
    for (const words of ['Hi', 'Hello!', 'Where is my order?']) expect(sent).toContain(words);
  });

  test.each([500, 503, 529])('tries again after status %i', async (code) => {
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
      message: 'the provider answered with status 500',
      rateLimited: false,
    });
  });

  test.each([400, 401, 403, 404])('does not repeat what status %i refused', async (code) => {
    provider.behave(status(code));
    const said = await talk(model);
    expect(provider.received).toHaveLength(1);
    expect(said.failure).toMatchObject({
      message: `the provider answered with status ${code}`,
      retryable: false,
    });
  });

  test('waits as long as a 429 asks for', async () => {
    provider.behave(status(429, { 'retry-after': '1' }), answer(format, ['Here']));
    const start = Date.now();
    const said = await talk(model);
    expect(Date.now() - start).toBeGreaterThanOrEqual(950);
    expect(said).toMatchObject({ text: 'Here', retries: [{ waitMs: 1000 }] });
  });

  test('does not wait for a 429 that asks for more time than is left', async () => {
    provider.behave(status(429, { 'retry-after': '60' }));
    const said = await talk(model, { deadline: Date.now() + 5_000 });
    expect(provider.received).toHaveLength(1);
    expect(said.failure).toMatchObject({ rateLimited: true, retryAfterMs: 60_000 });
  });

  const brokenBeginnings: [string, Behaviour][] = [
    ['a page of HTML', html],
    ['a connection that is closed', refuse],
    ['a stream that ends before it says anything', breakOff(format, [])],
    ['a stream of garbage', garble(format, [])],
  ];
  test.each(brokenBeginnings)('tries again after %s', async (_, behaviour) => {
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
    ['says nothing at all', hang],
    ['stops in the middle', stall(format, ['On '])],
  ])('is let go of, with its connection, when it %s', async (_, behaviour) => {
    provider.behave(behaviour);
    const controller = new AbortController();
    const reason = new Error('enough');
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

  test('never repeats what the provider wrote about an error', async () => {
    provider.behave(status(401));
    const said = await talk(model);
    expect(JSON.stringify([said.failure?.message, said.failure?.cause])).not.toContain('secret');
  });

  test('is tried again where nothing listens, and the failure says so', async () => {
    const gone = await startProvider();
    await gone.stop();
    const baseUrl = `${gone.url}/v1`;
    const unreachable = createModels({
      openai: { apiKey: 'k', baseUrl },
      anthropic: { apiKey: 'k', baseUrl },
      local: { apiKey: undefined, baseUrl },
      allowPrivateTargets: true,
    });
    const retries: Retry[] = [];
    const conversation = converse(
      () => unreachable.open({ model, endpoint: { url: gone.url } }),
      prompt,
      {
        ...silently(),
        onRetry: (retry) => retries.push(retry),
      },
    );
    await expect(conversation).rejects.toThrow(/connection to the (provider|endpoint) failed/);
    expect(retries).toHaveLength(2);
  });
});

function silently(): ConversationOptions {
  return {
    signal: new AbortController().signal,
    deadline: Date.now() + 10_000,
    firstPauseMs: 1,
    onText: () => undefined,
    onRetry: () => undefined,
  };
}

describe('what is sent', () => {
  test('to OpenAI asks it not to keep the conversation', async () => {
    provider.behave(answer(openaiResponses, ['Yes']));
    await talk('openai/gpt-4o');
    expect(provider.received[0]).toMatchObject({
      path: '/v1/responses',
      headers: { authorization: 'Bearer key-of-openai' },
      body: { model: 'gpt-4o', store: false, stream: true, temperature: 0.3 },
    });
  });

  test('to Anthropic carries its key and the instructions apart', async () => {
    provider.behave(answer(anthropicMessages, ['Yes']));
    await talk('anthropic/claude-sonnet-4-5');
    expect(provider.received[0]).toMatchObject({
      path: '/v1/messages',
      headers: { 'x-api-key': 'key-of-anthropic' },
      body: { model: 'claude-sonnet-4-5', system: [{ type: 'text', text: 'Be brief.' }] },
    });
  });

  test('to a local server is a chat completion, with the whole name of the model', async () => {
    provider.behave(answer(chatCompletions, ['Yes']));
    await talk('local/library/llama3.2:1b');
    expect(provider.received[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer key-of-local' },
      body: {
        model: 'library/llama3.2:1b',
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Hello!' },
          { role: 'user', content: 'Where is my order?' },
        ],
      },
    });
  });

  test('an empty earlier answer is left out, since providers refuse it', async () => {
    provider.behave(answer(chatCompletions, ['Yes']));
    const history = [
      { role: 'user' as const, content: 'Hi' },
      { role: 'agent' as const, content: '' },
    ];
    const model = await models.open({ model: 'local/m', endpoint: null });
    await converse(() => Promise.resolve(model), { ...prompt, history }, silently());
    const sent = provider.received[0]?.body as { messages: { content: string }[] };
    expect(sent.messages.map(({ content }) => content)).toEqual([
      'Be brief.',
      'Hi',
      'Where is my order?',
    ]);
  });
});

describe('a provider that is not configured', () => {
  test('fails at once, and says so', async () => {
    const none = createModels({
      openai: undefined,
      anthropic: undefined,
      local: undefined,
      allowPrivateTargets: false,
    });
    await expect(none.open({ model: 'openai/gpt-4o', endpoint: null })).rejects.toThrow(
      "the provider 'openai' is not configured",
    );
    await expect(none.open({ model: 'http/own', endpoint: null })).rejects.toThrow(
      "the provider 'http' is not configured",
    );
  });
});
