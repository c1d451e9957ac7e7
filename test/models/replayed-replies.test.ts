/** What a model writes and its provider does not take back: blank texts, names, arguments and ids of calls. */
import { describe, expect, test } from '@jest/globals';
import { createToolbox } from '../../server/models/tools/toolbox.js';
import type { PromptMessage } from '../helpers/model-provider/prompts.js';
import type { WantedCall } from '../helpers/model-provider/reply.js';
import { useModelProvider } from '../helpers/model-provider/use-model-provider.js';
import { talk } from './conversation.js';

const provider = useModelProvider();

const models = ['openai/gpt-4o', 'anthropic/claude-sonnet-4-5', 'local/llama3.2'];

function refunds() {
  const refunded: unknown[] = [];
  const refund = {
    name: 'refund',
    description: 'Refunds an order.',
    parameters: {
      type: 'object',
      required: ['order_id'],
      properties: { order_id: { type: 'string' }, note: { type: 'string' } },
    },
    timeoutMs: 10_000,
    call: (args: unknown) => {
      refunded.push(args);
      return Promise.resolve('refunded');
    },
  };
  const toolbox = createToolbox(
    [refund],
    { maxSteps: 8 },
    {
      queueKey: 'one',
      conversationId: 'req_1',
      beforeCalls: () => Promise.resolve(),
      onInterrupted: () => undefined,
      onStart: () => undefined,
      onEnd: () => undefined,
      onUnknown: () => undefined,
    },
  );
  return { refunded, toolbox };
}

const resultsIn = (messages: readonly PromptMessage[] = []) =>
  messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []));

const callsIn = (messages: readonly PromptMessage[] = []) =>
  messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []));

describe.each(models)('%s', (model) => {
  const unusual: [string, WantedCall, RegExp][] = [
    [
      'a name with a dot',
      { name: 'functions.refund', arguments: {} },
      /no tool 'functions.refund'.*refund/,
    ],
    ['a name with blanks', { name: 'refund order!', arguments: {} }, /no tool 'refund order!'/],
    ['a very long name', { name: 'r'.repeat(200), arguments: {} }, /no tool/],
    [
      'a number as arguments',
      { name: 'refund', arguments: '9' },
      /must be a JSON object, but are: 9/,
    ],
    [
      'a text as arguments',
      { name: 'refund', arguments: '"9"' },
      /must be a JSON object, but are: 9/,
    ],
    ['a list as arguments', { name: 'refund', arguments: '["9"]' }, /but are: \["9"\]/],
    [
      'malformed arguments',
      { name: 'refund', arguments: '{"order_id": "55' },
      /but are: \{"order_id": "55/,
    ],
    ['missing arguments', { name: 'refund', arguments: '{}' }, /do not fit its schema/],
  ];

  test.each(unusual)('is told of %s, and goes on', async (_what, call, told) => {
    const { refunded, toolbox } = refunds();
    provider.behave({ calls: [call] }, 'Sorry.');
    const said = await talk(provider.url, model, { toolbox });
    expect(said).toMatchObject({ failure: undefined, text: 'Sorry.' });
    expect(refunded).toEqual([]);
    const { messages } = provider.prompts()[1] ?? {};
    expect(resultsIn(messages)).toEqual([expect.stringMatching(told)]);
  });

  test('sees the arguments that were not JSON', async () => {
    const { toolbox } = refunds();
    provider.behave({ calls: [{ name: 'refund', arguments: '{"order_id": ' }] }, 'Sorry.');
    await talk(provider.url, model, { toolbox });
    const [call] = callsIn(provider.prompts()[1]?.messages);
    expect(call?.arguments).toEqual({ malformed: '{"order_id": ' });
  });

  test('may say nothing but blanks before it calls a tool', async () => {
    const { refunded, toolbox } = refunds();
    const refund = { name: 'refund', arguments: { order_id: '9' } };
    provider.behave({ text: '\n\n', calls: [refund] }, 'Done.');
    expect(await talk(provider.url, model, { toolbox })).toMatchObject({ failure: undefined });
    expect(refunded).toEqual([{ order_id: '9' }]);
  });

  test('may leave out optional parameters', async () => {
    const { refunded, toolbox } = refunds();
    provider.behave({ calls: [{ name: 'refund', arguments: { order_id: '9' } }] }, 'Done.');
    await talk(provider.url, model, { toolbox });
    expect(refunded).toEqual([{ order_id: '9' }]);
  });

  test('may give two calls the same id', async () => {
    const { refunded, toolbox } = refunds();
    const one = { name: 'refund', arguments: { order_id: '1' }, id: 'call.0' };
    const two = { name: 'refund', arguments: { order_id: '2' }, id: 'call.0' };
    provider.behave({ calls: [one, two] }, 'Done.');
    expect(await talk(provider.url, model, { toolbox })).toMatchObject({ failure: undefined });
    expect(refunded).toEqual([{ order_id: '1' }, { order_id: '2' }]);
    const ids = callsIn(provider.prompts()[1]?.messages).map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
  });

  test('goes on after blank messages and answers of its session', async () => {
    provider.configure({ rolesMustAlternate: true });
    provider.behave('Hello.');
    const history = [
      { role: 'user' as const, content: 'Hi' },
      { role: 'agent' as const, content: '\n\n' },
      { role: 'user' as const, content: ' ' },
      { role: 'agent' as const, content: 'You said nothing.' },
      { role: 'user' as const, content: 'Are you there?' },
      { role: 'agent' as const, content: '' },
    ];
    expect(await talk(provider.url, model, { prompt: { history } })).toMatchObject({
      failure: undefined,
      text: 'Hello.',
    });
  });

  test('sees the tool calls of earlier turns', async () => {
    provider.behave('It was 5512.');
    const call = {
      id: 'call_1',
      name: 'refund',
      arguments: { order_id: '5512' },
      succeeded: true,
      result: 'refunded',
    };
    const history = [
      { role: 'user' as const, content: 'Refund it.' },
      { role: 'agent' as const, content: 'Done.', calls: [call] },
    ];
    const { toolbox } = refunds();
    await talk(provider.url, model, { prompt: { history }, toolbox });
    const { messages } = provider.prompts()[0] ?? {};
    expect(callsIn(messages)).toMatchObject([{ name: 'refund', arguments: { order_id: '5512' } }]);
    expect(resultsIn(messages)).toEqual(['refunded']);
  });

  test('sees the tool calls of earlier turns although it has no tools any more', async () => {
    provider.behave('It was 5512.');
    const call = { id: 'c1', name: 'refund', arguments: {}, succeeded: false, result: 'no' };
    const history = [
      { role: 'user' as const, content: 'Refund it.' },
      { role: 'agent' as const, content: 'I could not.', calls: [call] },
    ];
    expect(await talk(provider.url, model, { prompt: { history } })).toMatchObject({
      failure: undefined,
      text: 'It was 5512.',
    });
  });
});
