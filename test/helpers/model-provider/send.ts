/** Sends requests to the provider, each as a change to one that is valid. */
import { expect, test } from '@jest/globals';
import { useFixture } from '../service/fixture.js';
import type { Json } from './json.js';
import { type ModelProvider, startModelProvider } from './provider.js';
import type { ApiName } from './rejection.js';
import { defaultSettings, type ProviderSettings } from './settings.js';

export const paths = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
};

export const bases: Record<ApiName, Json> = {
  chat: { model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'Hi' }] },
  responses: { model: 'gpt-4o', stream: true, input: [{ role: 'user', content: 'Hi' }] },
  messages: {
    model: 'claude-sonnet-4-5',
    stream: true,
    max_tokens: 1000,
    messages: [{ role: 'user', content: 'Hi' }],
  },
};

export type Send = (
  api: ApiName,
  change: Json,
  settings?: Partial<ProviderSettings>,
) => Promise<{ status: number; text: string }>;

/** A provider without the check after each test, since these tests send invalid requests. */
export function useSender(): { provider: ModelProvider; send: Send } {
  const provider = useFixture(startModelProvider, (started) => started.stop());
  const send: Send = async (api, change, settings = {}) => {
    provider.behave('Hello!');
    provider.configure({ ...defaultSettings, ...settings });
    const response = await fetch(provider.url + paths[api], {
      method: 'POST',
      headers: { 'x-api-key': 'k', authorization: 'Bearer k', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ ...bases[api], ...change }),
    });
    return { status: response.status, text: await response.text() };
  };
  return { provider, send };
}

/** A change, and the words of the error that it causes. */
export type Case = [change: Json, words: string, settings?: Partial<ProviderSettings>];

export function testCases(api: ApiName, cases: readonly Case[]): void {
  const { provider, send } = useSender();

  test('accepts a plain request', async () => {
    const { status, text } = await send(api, {});
    expect({ status, text }).toMatchObject({
      status: 200,
      text: expect.stringContaining('Hello!'),
    });
    expect(provider.invalid).toEqual([]);
  });

  const named = cases.map(([change, words, settings]) => ({ change, words, settings }));
  test.each(named)('rejects with: $words', async ({ change, words, settings }) => {
    const { status, text } = await send(api, change, settings);
    expect(text.replaceAll('\\"', '"')).toContain(words);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(() => {
      provider.endTest();
    }).toThrow('The service sent requests that a real provider rejects');
  });
}

export const parameters = { type: 'object', properties: { id: { type: 'string' } } };

export const pattern =
  "string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'";

export const asks = { role: 'user', content: 'Hi' };
