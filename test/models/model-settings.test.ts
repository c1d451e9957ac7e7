/** The settings of an agent as each provider takes them: output limit, reasoning, temperature, and markers for its prompt cache. */
import { describe, expect, test } from '@jest/globals';
import type { Prompt } from '../../server/models/model.js';
import { useModelProvider } from '../helpers/model-provider/use-model-provider.js';
import { answeringToolbox } from './answering-toolbox.js';
import { talk } from './conversation.js';

const provider = useModelProvider();

async function sent(model: string, prompt: Partial<Prompt>) {
  provider.behave('Hello.');
  const said = await talk(provider.url, model, { prompt: { temperature: undefined, ...prompt } });
  expect(said.failure).toBeUndefined();
  const [first] = provider.prompts();
  if (!first) throw new Error('The provider accepted no request.');
  return { ...first, changed: said.changed };
}

describe('the output limit', () => {
  test.each(['openai/gpt-4o', 'anthropic/claude-sonnet-4-5', 'local/llama3.2', 'local/o3-mini'])(
    'is sent to %s under its own name',
    async (model) => {
      expect((await sent(model, { maxOutputTokens: 500 })).maxOutput).toBe(500);
    },
  );

  test('is 16,384 for Claude by default, and left to other providers', async () => {
    expect((await sent('anthropic/claude-sonnet-4-5', {})).maxOutput).toBe(16_384);
    expect((await sent('openai/gpt-4o', {})).maxOutput).toBeUndefined();
    expect((await sent('local/llama3.2', {})).maxOutput).toBeUndefined();
  });

  test('is at least what OpenAI takes, and the log says so', async () => {
    const { maxOutput, changed } = await sent('openai/gpt-4o', { maxOutputTokens: 5 });
    expect(maxOutput).toBe(16);
    expect(changed).toEqual(['maxOutputTokens is 16, the least that the provider takes']);
  });
});

describe('reasoning', () => {
  test.each<[string, Prompt['reasoning'], object | string]>([
    ['openai/o3', 'low', { effort: 'low' }],
    ['local/gpt-oss', 'high', 'high'],
    ['anthropic/claude-sonnet-4-5', 'medium', { type: 'enabled', budget_tokens: 8_192 }],
    ['anthropic/claude-sonnet-4-5', 'none', { type: 'disabled' }],
  ])('of %s: %s', async (model, reasoning, expected) => {
    provider.configure({ models: { 'gpt-oss': { reasoning: true } } });
    const { reasoning: got, changed } = await sent(model, { reasoning });
    if (typeof expected === 'string') expect(got).toBe(expected);
    else expect(got).toMatchObject(expected);
    expect(changed).toEqual([]);
  });

  test('is ignored by a model without it, and the log says so', async () => {
    const { reasoning, changed } = await sent('openai/gpt-4o', { reasoning: 'high' });
    expect(reasoning).toBeUndefined();
    expect(changed).toEqual([expect.stringMatching(/^reasoning: /)]);
  });
});

describe('the temperature', () => {
  test.each(['openai/gpt-4o', 'anthropic/claude-sonnet-4-5', 'local/llama3.2'])(
    'is sent to %s only if it is set',
    async (model) => {
      expect((await sent(model, {})).temperature).toBeUndefined();
      expect((await sent(model, { temperature: 0.3 })).temperature).toBe(0.3);
    },
  );

  test('that Claude does not take is changed, and the log says so', async () => {
    const { temperature, changed } = await sent('anthropic/claude-sonnet-4-5', {
      temperature: 1.5,
    });
    expect(temperature).toBe(1);
    expect(changed).toEqual([expect.stringMatching(/^temperature: 1.5 exceeds/)]);
  });

  test('is not sent to a reasoning model of OpenAI, and the log says so', async () => {
    const { temperature, changed } = await sent('openai/o3', { temperature: 0.3 });
    expect(temperature).toBeUndefined();
    expect(changed).toEqual([expect.stringMatching(/^temperature: /)]);
  });
});

describe("Claude's prompt cache", () => {
  const model = 'anthropic/claude-sonnet-4-5';

  test('is used in a session, for the instructions and the last message', async () => {
    expect((await sent(model, { isSession: true })).cacheMarkers).toBe(2);
  });

  test('is used with tools', async () => {
    provider.behave('Hello.');
    const parameters = { type: 'object', properties: {} };
    const look = { name: 'look', description: 'Looks.', parameters };
    const { toolbox } = answeringToolbox(look, { text: 'Nothing.', maxSteps: 2 });
    await talk(provider.url, model, { toolbox });
    expect(provider.prompts()[0]?.cacheMarkers).toBe(2);
  });

  test('is not paid for by a message that stands alone', async () => {
    expect((await sent(model, {})).cacheMarkers).toBe(0);
  });
});
