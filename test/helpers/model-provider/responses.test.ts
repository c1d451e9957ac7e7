/** What OpenAI Responses rejects, and in which words. */
import type { Json } from './json.js';
import { asks, type Case, parameters, pattern, testCases } from './send.js';

const called = (more: Json = {}) => ({
  type: 'function_call',
  call_id: 'c1',
  name: 'refund',
  arguments: '{}',
  ...more,
});
const output = { type: 'function_call_output', call_id: 'c1', output: 'Done' };
const responseTool = (definition: Json) => ({
  tools: [{ type: 'function', name: 'refund', parameters, ...definition }],
});

const responses: Case[] = [
  [{ top_k: 5 }, "Unknown parameter: 'top_k'."],
  [{ input: [] }, 'must be provided.'],
  [{ input: [asks, called()] }, 'No tool output found for function call c1.'],
  [{ input: [asks, output] }, 'No tool call found for function call output with call_id c1.'],
  [
    { input: [asks, called({ name: 'refund order!' }), output] },
    `Invalid 'input[1].name': ${pattern}`,
  ],
  [
    { input: [asks, called({ arguments: {} }), output] },
    "Invalid type for 'input[1].arguments': expected a string",
  ],
  [
    { input: [asks, called({ id: 'c1' }), output] },
    "Invalid 'input[1].id': 'c1'. Expected an ID that begins with 'fc'.",
  ],
  [
    { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }] },
    "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
  ],
  [
    { store: false, input: [asks, { type: 'item_reference', id: 'msg_9' }] },
    'Items are not persisted when `store` is set to false.',
  ],
  [
    { input: [{ type: 'reasoning', id: 'rs_9', summary: [] }, asks] },
    "Item 'rs_9' of type 'reasoning' was provided without its required following item.",
  ],
  [responseTool({ strict: true }), "'additionalProperties' is required"],
  [responseTool({ description: 'x'.repeat(1025) }), 'maximum length 1024'],
  [responseTool({ name: 'a.b' }), `Invalid 'tools[0].name': ${pattern}`],
  [
    { model: 'o3-mini', temperature: 1 },
    "Unsupported parameter: 'temperature' is not supported with this model.",
  ],
  [
    { max_output_tokens: 5 },
    "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 5 instead.",
  ],
  [
    { reasoning: { effort: 'low' } },
    "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
  ],
  [
    { include: ['reasoning.encrypted_content'] },
    'Encrypted content is not supported with this model.',
  ],
];

testCases('responses', responses);
