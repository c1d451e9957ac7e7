/** What Anthropic Messages rejects, and in which words. */
import { expect, test } from '@jest/globals';
import { signatureOf } from './check-messages.js';
import type { Json } from './json.js';
import { asks, type Case, parameters, testCases, useSender } from './send.js';

const use = (more: Json = {}) => ({
  type: 'tool_use',
  id: 't1',
  name: 'refund',
  input: {},
  ...more,
});
const says = (...content: Json[]) => ({ role: 'assistant', content });
const gets = (...content: Json[]) => ({ role: 'user', content });
const told = (more: Json = {}) => ({
  type: 'tool_result',
  tool_use_id: 't1',
  content: 'Done',
  ...more,
});
const tools = [{ name: 'refund', input_schema: parameters }];
const spoken = (text: string) => ({ type: 'text', text });
const talk = (...messages: Json[]) => ({ tools, messages: [asks, ...messages] });

const messages: Case[] = [
  [{ seed: 5 }, 'seed: Extra inputs are not permitted'],
  [{ max_tokens: undefined }, 'max_tokens: Field required'],
  [
    { max_tokens: 100_000 },
    'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5',
  ],
  [{ messages: [] }, 'messages: at least one message is required'],
  [
    { messages: [{ role: 'assistant', content: 'Hi' }] },
    'messages: first message must use the "user" role',
  ],
  [
    { messages: [{ role: 'system', content: 'Hi' }] },
    'The Messages API accepts a top-level `system` parameter',
  ],
  [
    { messages: [{ role: 'user', content: '' }] },
    'messages.0: all messages must have non-empty content except for the optional final assistant message',
  ],
  [{ messages: [gets(spoken(''))] }, 'messages: text content blocks must be non-empty'],
  [
    { messages: [gets(spoken('\n\n'))] },
    'messages: text content blocks must contain non-whitespace text',
  ],
  [
    { messages: [asks, { role: 'assistant', content: '\n' }, asks] },
    'messages: text content blocks must contain non-whitespace text',
  ],
  [
    talk(says(spoken('\n'), use()), gets(told())),
    'messages: text content blocks must contain non-whitespace text',
  ],
  [
    { messages: [asks, { role: 'assistant', content: 'Well ' }] },
    'messages: final assistant content cannot end with trailing whitespace',
  ],
  [{ system: [spoken(' ')] }, 'system: text content blocks must contain non-whitespace text'],
  [
    talk(says(use()), asks),
    'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1.',
  ],
  [
    talk(says(use()), gets(spoken('Wait'), told())),
    '`tool_use` ids were found without `tool_result` blocks',
  ],
  [
    talk(says(spoken('Yes')), gets(told())),
    'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t1.',
  ],
  [talk(says(use()), gets(told(), told())), 'each tool_use must have a single result'],
  [talk(says(use()), gets(told()), says(use()), gets(told())), '`tool_use` ids must be unique'],
  [
    talk(
      says(use({ id: 'functions.refund:0' })),
      gets(told({ tool_use_id: 'functions.refund:0' })),
    ),
    "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  ],
  [
    talk(says(use({ name: 'refund order!' })), gets(told())),
    "messages.1.content.0.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  ],
  [
    talk(says(use({ input: '9' })), gets(told())),
    'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
  ],
  [
    talk(says(use()), gets(told({ content: '', is_error: true }))),
    'content cannot be empty if `is_error` is true',
  ],
  [{ messages: [asks, says(use()), gets(told())] }, 'must define tools'],
  [
    { tools: [{ name: 'a b', input_schema: parameters }] },
    "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  ],
  [
    { tools: [{ name: 'a', input_schema: {} }] },
    'tools.0.custom.input_schema.type: Field required',
  ],
  [
    { tools: [{ name: 'a', input_schema: { ...parameters, anyOf: [] } }] },
    'tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level',
  ],
  [{ tools: [...tools, ...tools] }, 'tools: Tool names must be unique.'],
  [{ temperature: 1.5 }, 'temperature: range: 0..1'],
  [
    { temperature: 0.5 },
    '`temperature` is deprecated for this model.',
    { model: { rejectsTemperature: true } },
  ],
  [
    { thinking: { type: 'enabled', budget_tokens: 2000 } },
    '`max_tokens` must be greater than `thinking.budget_tokens`.',
  ],
  [
    { thinking: { type: 'enabled', budget_tokens: 10 } },
    'Input should be greater than or equal to 1024',
  ],
  [
    {
      max_tokens: 9000,
      thinking: { type: 'enabled', budget_tokens: 2000 },
      ...talk(says(use()), gets(told())),
    },
    'Expected `thinking` or `redacted_thinking`, but found `tool_use`.',
  ],
  [
    talk(says({ type: 'thinking', thinking: 'Hm', signature: 'x' }, spoken('Yes')), asks),
    'Invalid `signature` in `thinking` block',
  ],
  [
    {
      system: [1, 2, 3, 4, 5].map((n) => ({
        ...spoken(`${n}`),
        cache_control: { type: 'ephemeral' },
      })),
    },
    'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  ],
];

testCases('messages', messages);

const { send } = useSender();

test('thinking is accepted with the signature that came with it', async () => {
  const thought = { type: 'thinking', thinking: 'Hm', signature: signatureOf('Hm') };
  const { status } = await send('messages', talk(says(thought, use()), gets(told())));
  expect(status).toBe(200);
});
