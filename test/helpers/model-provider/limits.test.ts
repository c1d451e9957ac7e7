/** Context windows, rate limits, and the check at the end of each test. */
import { expect, test } from '@jest/globals';
import type { Json } from './json.js';
import type { ApiName } from './rejection.js';
import { bases, paths, useSender } from './send.js';
import type { ProviderSettings } from './settings.js';

const { provider, send } = useSender();

const long = 'word '.repeat(1_000);

const windows: [ApiName, Json, number, string, Partial<ProviderSettings>?][] = [
  ['chat', { messages: [{ role: 'user', content: long }] }, 400, 'context_length_exceeded'],
  [
    'chat',
    { messages: [{ role: 'user', content: long }], max_tokens: 100 },
    400,
    'in the completion). Please reduce the length of the messages or completion.',
    { kind: 'vllm' },
  ],
  [
    'chat',
    { messages: [{ role: 'user', content: long }] },
    400,
    'exceed_context_size_error',
    { kind: 'llama.cpp' },
  ],
  [
    'chat',
    { messages: [{ role: 'user', content: long }] },
    400,
    '{"error":"Trying to keep the first',
    { kind: 'lmstudio' },
  ],
  [
    'chat',
    { messages: [{ role: 'user', content: long }] },
    200,
    'event: error\ndata: {"error":{"message":"Trying to keep the first',
    { kind: 'lmstudio', overflow: 'stream' },
  ],
  [
    'chat',
    { messages: [{ role: 'user', content: long }] },
    422,
    '`inputs` tokens + `max_new_tokens` must be <= 1000',
    { kind: 'tgi' },
  ],
  [
    'responses',
    { input: [{ role: 'user', content: long }] },
    400,
    'Your input exceeds the context window of this model.',
  ],
  [
    'responses',
    { input: [{ role: 'user', content: long }] },
    200,
    'event: response.failed',
    { overflow: 'stream' },
  ],
  ['messages', { messages: [{ role: 'user', content: long }] }, 400, 'prompt is too long: '],
  [
    'messages',
    { max_tokens: 995 },
    400,
    'input length and `max_tokens` exceed context limit: ',
    { model: { contextWindow: 1_000, maxTokensCount: true } },
  ],
];

test.each(windows.map(([api, change, code, words, more]) => ({ api, change, code, words, more })))(
  '$api rejects a prompt that is too long, with status $code: $words',
  async ({ api, change, code, words, more }) => {
    const settings = { model: { contextWindow: 1_000 }, ...more };
    const { status, text } = await send(api, change, settings);
    expect(text).toContain(words);
    expect(status).toBe(code);
    // The test that set the window expects this.
    provider.endTest();
  },
);

test.each(['chat', 'responses', 'messages'] as const)(
  '%s lets a burst pass and then asks to wait',
  async (api) => {
    provider.configure({ requestsPerSecond: 3 });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        fetch(provider.url + paths[api], {
          method: 'POST',
          headers: { 'x-api-key': 'k', authorization: 'Bearer k', 'anthropic-version': '1' },
          body: JSON.stringify(bases[api]),
        }),
      ),
    );
    const limited = answers.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThan(0);
    expect(limited[0]?.headers.get('retry-after')).toBe('1');
    expect(await limited[0]?.text()).toMatch(/rate_limit/);
    const { accepted, rejected } = provider.passed;
    expect(accepted + rejected).toBe(5);
    expect(rejected).toBe(limited.length);
  },
);

test('a test that expects a rejection fails without one', async () => {
  provider.endTest();
  provider.expectRejections('top_k');
  expect(() => {
    provider.endTest();
  }).toThrow('it rejected none');
  provider.expectRejections('top_k');
  await send('chat', { top_k: 5 });
  provider.endTest();
});
