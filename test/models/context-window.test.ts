/** Prompts that do not fit into the model's context window, with the words of each provider and server. */
import { describe, expect, test } from '@jest/globals';
import { fitHistory, type Turn } from '../../server/models/history.js';
import type { ProviderSettings } from '../helpers/model-provider/settings.js';
import { useModelProvider } from '../helpers/model-provider/use-model-provider.js';
import { answeringToolbox } from './answering-toolbox.js';
import { talk } from './conversation.js';

const provider = useModelProvider();

const openai = { kind: 'openai' } as const;
const servers: [string, string, Partial<ProviderSettings>][] = [
  ['OpenAI', 'openai/gpt-4o', { ...openai, overflow: 'status' }],
  ['OpenAI, in the stream', 'openai/gpt-4o', { ...openai, overflow: 'stream' }],
  ['Anthropic', 'anthropic/claude-sonnet-4-5', { ...openai, overflow: 'status' }],
  ['vLLM', 'local/m', { kind: 'vllm' }],
  ['llama.cpp', 'local/m', { kind: 'llama.cpp' }],
  ['LM Studio', 'local/m', { kind: 'lmstudio' }],
  ['LM Studio, in the stream', 'local/m', { kind: 'lmstudio', overflow: 'stream' }],
  ['Text Generation Inference', 'local/m', { kind: 'tgi' }],
  ['DeepSeek', 'local/m', { kind: 'deepseek' }],
];

const read = {
  name: 'read',
  description: 'Reads.',
  parameters: { type: 'object', properties: {} },
};

const words = (tokens: number) => 'word'.repeat(tokens);
const window = { model: { contextWindow: 1_000 } };

/** A history of turns with about this many tokens each. */
const historyOf = (turns: number, tokens: number) =>
  Array.from({ length: turns }, (_, index) => [
    { role: 'user' as const, content: `${index}. ${words(tokens / 2)}` },
    { role: 'agent' as const, content: words(tokens / 2) },
  ]).flat();

describe.each(servers)('%s', (_name, model, settings) => {
  test('gets the latest turns that fit, and the log says how many did not', async () => {
    provider.configure({ ...settings, ...window });
    provider.behave('Here I am.');
    const said = await talk(provider.url, model, { prompt: { history: historyOf(16, 200) } });
    expect(said).toMatchObject({ failure: undefined, text: 'Here I am.', retries: [] });
    expect(said.leftOut).toEqual({ turns: 12, resultLength: undefined });
    const { messages } = provider.prompts()[0] ?? { messages: [] };
    expect(messages).toHaveLength(9);
    expect(messages[0]).toMatchObject({ text: expect.stringMatching(/^12\. /) });
  });

  test('gets no history if no turn of it fits', async () => {
    provider.configure({ ...settings, ...window });
    provider.behave('Here I am.');
    const said = await talk(provider.url, model, { prompt: { history: historyOf(1, 2_000) } });
    expect(said).toMatchObject({ failure: undefined, text: 'Here I am.' });
    expect(provider.prompts()[0]?.messages).toHaveLength(1);
  });

  test('does not answer a message that is too long by itself', async () => {
    provider.configure({ ...settings, ...window });
    const { failure } = await talk(provider.url, model, {
      prompt: { history: historyOf(2, 100), message: words(2_000) },
    });
    expect(failure).toMatchObject({ kind: 'context_length', retryable: false });
  });

  test('gets shorter tool results instead of failing', async () => {
    provider.configure({ ...settings, ...window });
    provider.behave({ calls: [{ name: 'read', arguments: {} }] }, 'I have read it.');
    const { toolbox } = answeringToolbox(read, { text: words(10_000), maxSteps: 4 });
    const said = await talk(provider.url, model, { toolbox });
    expect(said).toMatchObject({ failure: undefined, text: 'I have read it.' });
    expect(said.leftOut?.resultLength).toBeLessThan(4_000);
    const result = provider.prompts()[1]?.messages.find(({ role }) => role === 'tool');
    expect(result?.text).toContain('The result was cut');
  });
});

test('a fallback with a larger window gets what the first model cannot take', async () => {
  provider.configure({ models: { small: { contextWindow: 500 }, large: {} } });
  provider.behave('Read.');
  const said = await talk(provider.url, 'local/small', {
    fallbacks: ['local/large'],
    prompt: { history: [], message: words(1_000) },
  });
  expect(said).toMatchObject({ failure: undefined, text: 'Read.', model: 'local/large' });
});

describe('a history', () => {
  const turn = (index: number, tokens = 10): Turn => ({
    id: `mem_${index}`,
    message: words(tokens / 2),
    answer: { role: 'agent', content: words(tokens / 2) },
  });
  const turns = (count: number) => Array.from({ length: count }, (_, index) => turn(index));
  const ids = (fitting: Turn[]) => fitting.map(({ id }) => id);

  test('that fits is complete', () => {
    expect(fitHistory(turns(20), { turns: 20, tokens: 200 })).toHaveLength(20);
  });

  test('of a few turns has exactly as many as it may have', () => {
    expect(ids(fitHistory(turns(4), { turns: 3, tokens: 200 }))).toEqual(ids(turns(4).slice(1)));
    expect(fitHistory(turns(4), { turns: 0, tokens: 200 })).toEqual([]);
  });

  test('leaves out the oldest turns whole', () => {
    const fitting = fitHistory([turn(0), turn(1), turn(2)], { turns: 20, tokens: 25 });
    expect(ids(fitting)).toEqual(['mem_1', 'mem_2']);
    expect(fitHistory([turn(0, 1_000)], { turns: 20, tokens: 25 })).toEqual([]);
  });

  test.each([
    ['the number of turns', { turns: 20, tokens: 100_000 }],
    ['tokens', { turns: 1_000, tokens: 205 }],
  ])('limited by %s begins with the same turn for several turns', (_by, limits) => {
    const all = turns(200);
    const starts = Array.from({ length: 160 }, (_, index) => {
      const latest = all.slice(Math.max(0, index + 40 - limits.turns - 1), index + 40);
      const fitting = fitHistory(latest, limits);
      expect(fitting.length).toBeGreaterThanOrEqual(10);
      expect(fitting.length).toBeLessThanOrEqual(20);
      expect(fitting.at(-1)).toBe(all[index + 39]);
      return fitting[0]?.id;
    });
    expect(new Set(starts).size).toBeLessThan(160 / 3);
  });
});
