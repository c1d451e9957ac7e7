/** The requests to each provider, and providers that are not configured. */
import { describe, expect, test } from '@jest/globals';
import { createModels } from '../../server/models/models.js';
import { talk } from './conversation.js';
import { useModelProvider } from '../helpers/model-provider/use-model-provider.js';
import {
  answer,
  anthropicMessages,
  chatCompletions,
  openaiResponses,
} from '../helpers/model-provider/wire-formats.js';

const provider = useModelProvider();

describe('the request', () => {
  test('to OpenAI asks it not to store the conversation', async () => {
    provider.behave(answer(openaiResponses, ['Yes']));
    await talk(provider.url, 'openai/gpt-4o');
    expect(provider.received[0]).toMatchObject({
      path: '/v1/responses',
      headers: { authorization: 'Bearer key-of-openai' },
      body: { model: 'gpt-4o', store: false, stream: true, temperature: 0.3 },
    });
  });

  test('to Anthropic has its key, and the instructions in a separate field', async () => {
    provider.behave(answer(anthropicMessages, ['Yes']));
    await talk(provider.url, 'anthropic/claude-sonnet-4-5');
    expect(provider.received[0]).toMatchObject({
      path: '/v1/messages',
      headers: { 'x-api-key': 'key-of-anthropic' },
      body: { model: 'claude-sonnet-4-5', system: [{ type: 'text', text: 'Be brief.' }] },
    });
  });

  test('to a local server is a chat completion, with the complete model name', async () => {
    provider.behave(answer(chatCompletions, ['Yes']));
    await talk(provider.url, 'local/library/llama3.2:1b');
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

  test('an empty earlier response is omitted, since providers reject it', async () => {
    provider.behave(answer(chatCompletions, ['Yes']));
    const history = [
      { role: 'user' as const, content: 'Hi' },
      { role: 'agent' as const, content: '' },
    ];
    await talk(provider.url, 'local/m', { prompt: { history } });
    const sent = provider.received[0]?.body as { messages: { content: string }[] };
    expect(sent.messages.map(({ content }) => content)).toEqual([
      'Be brief.',
      'Hi\n\nWhere is my order?',
    ]);
  });
});

describe('a provider that is not configured', () => {
  test('fails at once, and says so', () => {
    const none = createModels({
      openai: undefined,
      anthropic: undefined,
      local: undefined,
      allowPrivateTargets: false,
    });
    expect(() => none.open({ model: 'openai/gpt-4o', endpoint: null })).toThrow(
      "the provider 'openai' is not configured",
    );
    expect(() => none.open({ model: 'http/own', endpoint: null })).toThrow(
      "the provider 'http' is not configured",
    );
  });
});
