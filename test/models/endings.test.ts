/** How an answer ended: complete, cut, filtered, refused or forced, with each API of model providers. */
import { describe, expect, test } from '@jest/globals';
import { calling, type Reply } from '../helpers/model-provider/reply.js';
import { useModelProvider } from '../helpers/model-provider/use-model-provider.js';
import { answeringToolbox } from './answering-toolbox.js';
import { talk } from './conversation.js';

const provider = useModelProvider();

const models = ['openai/gpt-4o', 'anthropic/claude-sonnet-4-5', 'local/llama3.2'];
const refund = { name: 'refund', arguments: { order_id: '5512' } };

const refunds = (maxSteps = 8) =>
  answeringToolbox(
    { name: 'refund', description: 'Refunds.', parameters: { type: 'object' } },
    { text: 'done', maxSteps },
  );

describe.each(models)('%s', (model) => {
  const endings: [string, Reply, object][] = [
    ['a complete answer', { text: 'Yes.' }, { text: 'Yes.', finishReason: 'stop' }],
    ['a cut answer', { text: 'Once', finish: 'length' }, { text: 'Once', finishReason: 'length' }],
    [
      'an answer that a filter stopped',
      { text: 'It is', finish: model.startsWith('anthropic') ? 'refusal' : 'content_filter' },
      { text: 'It is', finishReason: 'content_filter' },
    ],
    ['an empty answer', { text: '' }, { text: '', finishReason: 'stop' }],
    ['a blank answer', { text: '\n\n' }, { text: '\n\n', finishReason: 'stop' }],
  ];

  test.each(endings)('tells of %s', async (_kind, replied, expected) => {
    provider.behave(replied);
    expect(await talk(provider.url, model)).toMatchObject({ failure: undefined, ...expected });
  });

  test('fails without a retry if a filter leaves no text', async () => {
    const finish = model.startsWith('anthropic') ? 'refusal' : 'content_filter';
    provider.behave({ finish });
    const { failure, retries } = await talk(provider.url, model);
    expect(failure).toMatchObject({
      retryable: false,
      explanation: expect.stringMatching(/refused .* or its content filter removed/),
    });
    expect(retries).toEqual([]);
    expect(provider.received).toHaveLength(1);
  });

  test.each(['length', 'content_filter', 'refusal'] as const)(
    'makes no tool call of a reply that ended with %s',
    async (finish) => {
      const { called, toolbox } = refunds();
      // OpenAI's models refuse in a part of their own.
      const isPart = finish === 'refusal' && !model.startsWith('anthropic');
      const beginning: Reply = isPart
        ? { refusal: 'One moment.' }
        : { text: 'One moment.', finish };
      provider.behave({ ...beginning, calls: [refund] }, 'Never asked.');
      const said = await talk(provider.url, model, { toolbox });
      expect(called).toEqual([]);
      expect(said).toMatchObject({
        failure: undefined,
        text: 'One moment.',
        finishReason: finish === 'length' ? 'length' : 'content_filter',
        withheldCalls: 1,
      });
      expect(provider.received).toHaveLength(1);
    },
  );

  test('makes the calls of a reply that ended like an answer', async () => {
    const { called, toolbox } = refunds();
    provider.behave({ calls: [refund], finish: 'stop' }, 'Refunded.');
    const said = await talk(provider.url, model, { toolbox });
    expect(called).toMatchObject([refund]);
    expect(said).toMatchObject({ text: 'Refunded.', finishReason: 'stop' });
  });

  test('says that it was made to answer at the step limit', async () => {
    const { called, toolbox } = refunds(3);
    provider.behave(calling(refund), calling(refund), 'Two of fifteen.');
    const said = await talk(provider.url, model, { toolbox });
    expect(called).toHaveLength(2);
    expect(said).toMatchObject({ text: 'Two of fifteen.', finishReason: 'steps', stepLimit: 3 });
  });

  test('answers with what it said if it asks for tools at the step limit', async () => {
    const { called, toolbox } = refunds(2);
    provider.behave(calling(refund), { text: 'And one more.', calls: [refund] });
    const said = await talk(provider.url, model, { toolbox });
    expect(called).toHaveLength(1);
    expect(said).toMatchObject({
      failure: undefined,
      text: 'And one more.',
      finishReason: 'steps',
      withheldCalls: 1,
    });
  });

  test('never takes a cut answer for JSON', async () => {
    provider.behave({ text: '{"a": 1}', finish: 'length' });
    const outputSchema = { type: 'object' };
    const { failure, text } = await talk(provider.url, model, { outputSchema });
    expect(text).toBe('');
    expect(failure).toMatchObject({
      retryable: false,
      explanation: 'The answer is incomplete, because the model reached its output limit.',
    });
    expect(provider.received).toHaveLength(1);
  });

  test('sums the usage of all calls by kind', async () => {
    const { toolbox } = refunds();
    const usage = { input: 100, output: 20, cached: 60, reasoning: 5 };
    provider.behave({ calls: [refund], usage }, { text: 'Done.', usage });
    const said = await talk(provider.url, model, { toolbox });
    expect(said.tokens).toBe(240);
    expect(said.usage).toMatchObject({
      inputTokens: 200,
      outputTokens: 40,
      cachedInputTokens: 120,
    });
    if (!model.startsWith('anthropic')) expect(said.usage).toMatchObject({ reasoningTokens: 10 });
    expect(said.unreported).toEqual([]);
  });
});

test('a refusal of Chat Completions is the answer', async () => {
  provider.behave({ refusal: 'I cannot help with that.' });
  expect(await talk(provider.url, 'local/llama3.2')).toMatchObject({
    text: 'I cannot help with that.',
    finishReason: 'content_filter',
  });
});

test('a model that reports no usage counts with an estimate', async () => {
  provider.behave({ text: 'x'.repeat(400), usage: 'none' });
  const { tokens, usage, unreported } = await talk(provider.url, 'local/llama3.2');
  expect({ tokens, usage }).toEqual({ tokens: 0, usage: {} });
  expect(unreported).toHaveLength(1);
  expect(unreported[0]).toBeGreaterThan(100);
  expect(unreported[0]).toBeLessThan(200);
});
