/** What Chat Completions rejects, and in which words. */
import type { Json } from './json.js';
import { asks, type Case, parameters, pattern, testCases } from './send.js';

const call = (more: Json = {}, id = 'c1') => ({
  id,
  type: 'function',
  function: { name: 'refund', arguments: '{}', ...more },
});
const calls = (...tool_calls: Json[]) => ({ role: 'assistant', content: null, tool_calls });
const result = (id = 'c1') => ({ role: 'tool', tool_call_id: id, content: 'Done' });
const tool = (definition: Json) => ({
  tools: [{ type: 'function', function: { name: 'refund', parameters, ...definition } }],
});

const chat: Case[] = [
  [{ top_k: 5 }, 'Unrecognized request argument supplied: top_k'],
  [{ messages: [] }, "Invalid 'messages': empty array."],
  [
    { messages: [{ role: 'agent', content: 'Hi' }] },
    "Invalid value: 'agent'. Supported values are:",
  ],
  [
    { messages: [{ role: 'user', content: null }] },
    "Invalid value for 'content': expected a string, got null.",
  ],
  [{ messages: [asks, { role: 'assistant', content: null }] }, "Invalid value for 'content'"],
  [{ messages: [{ role: 'user', content: 5 }] }, "Invalid type for 'messages[0].content'"],
  [
    { messages: [asks, result()] },
    "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
  ],
  [
    { messages: [asks, calls(call())] },
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: c1",
  ],
  [
    { messages: [asks, calls(call(), call({}, 'c2')), result(), asks] },
    'did not have response messages: c2',
  ],
  [
    { messages: [asks, calls(call()), result('c2')] },
    "'tool_call_id' of 'c2' not found in 'tool_calls' of previous message.",
  ],
  [
    { messages: [asks, calls(call({ name: 'functions.refund' })), result()] },
    `Invalid 'messages[1].tool_calls[0].function.name': ${pattern}`,
  ],
  [
    { messages: [asks, calls(call({ arguments: {} })), result()] },
    "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an object instead.",
  ],
  [
    { messages: [asks, calls(call({ arguments: '{"a":' })), result()] },
    'Expecting value: line 1 column 1',
    { kind: 'vllm' },
  ],
  [
    { messages: [asks, asks] },
    'Conversation roles must alternate user/assistant',
    { rolesMustAlternate: true },
  ],
  [tool({ name: 'refund order!' }), `Invalid 'tools[0].function.name': ${pattern}`],
  [
    tool({ name: 'x'.repeat(65) }),
    "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
  ],
  [
    tool({ description: 'x'.repeat(1025) }),
    'string too long. Expected a string with maximum length 1024, but got a string with length 1025 instead.',
  ],
  [
    tool({ parameters: { type: 'object' } }),
    "Invalid schema for function 'refund': In context=(), object schema missing properties.",
  ],
  [tool({ parameters: { ...parameters, anyOf: [] } }), "not have 'oneOf'/'anyOf'"],
  [
    tool({ strict: true }),
    "In context=(), 'additionalProperties' is required to be supplied and to be false.",
  ],
  [
    tool({ strict: true, parameters: { ...parameters, additionalProperties: false } }),
    "'required' is required to be supplied and to be an array including every key in properties. Missing 'id'.",
  ],
  [{ tools: [] }, "Invalid 'tools': empty array."],
  [{ tool_choice: 'auto' }, "'tool_choice' is only allowed when 'tools' are specified."],
  [
    { temperature: 3 },
    "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead.",
  ],
  [
    { model: 'gpt-5-mini', temperature: 0.3 },
    "Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) value is supported.",
  ],
  [
    { model: 'library/o3-mini', temperature: 1 },
    "Unsupported parameter: 'temperature' is not supported with this model.",
  ],
  [
    { model: 'own', max_tokens: 9 },
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    { model: { reasoning: true } },
  ],
  [
    { max_tokens: 9, max_completion_tokens: 9 },
    "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
  ],
  [
    { max_tokens: 99 },
    'max_tokens is too large: 99. This model supports at most 50 completion tokens',
    { model: { maxOutput: 50 } },
  ],
  [{ reasoning_effort: 'low' }, 'Unrecognized request argument supplied: reasoning_effort'],
  [
    { model: 'o3', reasoning_effort: 'none' },
    "Unsupported value: 'reasoning_effort' does not support 'none' with this model.",
  ],
  [
    { response_format: { type: 'json_object' } },
    "'messages' must contain the word 'json' in some form",
  ],
  [
    { response_format: { type: 'json_object' } },
    "'response_format.type' must be 'json_schema' or 'text'",
    { kind: 'lmstudio' },
  ],
  [
    { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: parameters } } },
    'This response_format type is unavailable now',
    { kind: 'deepseek' },
  ],
];

testCases('chat', chat);
