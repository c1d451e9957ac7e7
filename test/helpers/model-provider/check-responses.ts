/** What OpenAI Responses accepts. */
import { checkOutputSchema, checkTools, mentionsJson } from './check-openai-tools.js';
import { isObject, type Json, listOf, objectOf, shown } from './json.js';
import {
  array,
  boolean,
  decimal,
  functionName,
  integer,
  object,
  oneOf,
  string,
  unsupportedParameter,
  unsupportedValue,
} from './openai-values.js';
import { Rejection } from './rejection.js';
import { effortsOf, isReasoningModel, type Limits } from './settings.js';

const parameters = new Set(
  `background conversation context_management include input instructions max_output_tokens max_tool_calls metadata model
   parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_retention reasoning safety_identifier
   service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user`.split(
    /\s+/,
  ),
);

/** The reasoning that belongs to an item that the provider has sent, by the item's id. */
export type IssuedItems = ReadonlyMap<string, string>;

export function checkResponses(body: Json, limits: Limits, issued: IssuedItems): void {
  const unknown = Object.keys(body).find((name) => !parameters.has(name));
  if (unknown !== undefined) {
    throw new Rejection(`Unknown parameter: '${unknown}'.`, {
      param: unknown,
      code: 'unknown_parameter',
    });
  }
  string(body['model'], 'model');
  checkInput(body, issued);
  if (body['instructions'] !== undefined) string(body['instructions'], 'instructions');
  checkTools(body, (tool, param) => {
    oneOf(tool['type'], `${param}.type`, [
      'function',
      'custom',
      'web_search',
      'file_search',
      'mcp',
    ]);
    return { function: tool, place: param };
  });
  checkSampling(body, limits);
  checkFormat(body);
  boolean(body['stream'], 'stream');
  boolean(body['store'], 'store');
}

function checkInput(body: Json, issued: IssuedItems): void {
  const { input, store } = body;
  if (typeof input === 'string') return;
  if (listOf(input).length === 0) {
    throw new Rejection(
      'One of "input" or "previous_response_id" or \'prompt\' or \'conversation_id\' must be provided.',
      { param: 'input', code: 'missing_required_parameter' },
    );
  }
  const items = array(input, 'input').map((item, index) => object(item, `input[${index}]`));
  for (const [index, item] of items.entries()) checkItem(item, `input[${index}]`, store === false);
  checkPairs(items);
  checkReasoning(items, issued);
}

function checkItem(item: Json, place: string, isStateless: boolean): void {
  const type = item['type'] ?? 'message';
  switch (type) {
    case 'message':
      checkMessage(item, place);
      break;
    case 'function_call':
      string(item['call_id'], `${place}.call_id`, { min: 1, max: 64 });
      functionName(item['name'], `${place}.name`);
      string(item['arguments'], `${place}.arguments`);
      checkId(item['id'], `${place}.id`, 'fc');
      break;
    case 'function_call_output':
      string(item['call_id'], `${place}.call_id`, { min: 1, max: 64 });
      if (!Array.isArray(item['output'])) string(item['output'], `${place}.output`);
      break;
    case 'reasoning':
      array(item['summary'], `${place}.summary`);
      checkId(item['id'], `${place}.id`, 'rs');
      if (isStateless && typeof item['encrypted_content'] !== 'string') throw notFound(item['id']);
      break;
    case 'item_reference':
      if (isStateless) throw notFound(item['id']);
      break;
    default:
      throw new Rejection(
        `Invalid value: '${shown(type)}'. Supported values are: 'message', 'reasoning', 'function_call', 'function_call_output', and 'item_reference'.`,
        { param: place, code: 'invalid_value' },
      );
  }
}

function checkId(id: unknown, param: string, prefix: string): void {
  if (id === undefined || id === null || shown(id).startsWith(prefix)) return;
  throw new Rejection(
    `Invalid '${param}': '${shown(id)}'. Expected an ID that begins with '${prefix}'.`,
    { param, code: 'invalid_value' },
  );
}

function notFound(id: unknown): Rejection {
  return new Rejection(
    `Item with id '${shown(id)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    { status: 404, param: 'input' },
  );
}

function checkMessage(message: Json, place: string): void {
  const role = oneOf(message['role'], `${place}.role`, [
    'assistant',
    'system',
    'developer',
    'user',
  ]);
  checkId(message['id'], `${place}.id`, 'msg');
  const { content } = message;
  if (typeof content === 'string') return;
  const supported =
    role === 'assistant' ? ['output_text', 'refusal'] : ['input_text', 'input_image', 'input_file'];
  for (const [index, part] of array(content, `${place}.content`).entries()) {
    const at = `${place}.content[${index}]`;
    const { type, text, refusal } = object(part, at);
    oneOf(type, at, supported);
    if (type === 'input_text' || type === 'output_text') string(text, `${at}.text`);
    if (type === 'refusal') string(refusal, `${at}.refusal`);
  }
}

function checkPairs(items: readonly Json[]): void {
  const idsOf = (type: string) =>
    items.filter((item) => item['type'] === type).map((item) => shown(item['call_id']));
  const outputs = idsOf('function_call_output');
  const unanswered = idsOf('function_call').find((id) => !outputs.includes(id));
  if (unanswered !== undefined) {
    throw new Rejection(`No tool output found for function call ${unanswered}.`, {
      param: 'input',
    });
  }
  const called = new Set<string>();
  for (const { type, call_id: id } of items) {
    if (type === 'function_call') called.add(shown(id));
    if (type === 'function_call_output' && !called.has(shown(id))) {
      throw new Rejection(
        `No tool call found for function call output with call_id ${shown(id)}.`,
        {
          param: 'input',
        },
      );
    }
  }
}

/** Reasoning and the item that followed it are sent back together, or neither with its id. */
function checkReasoning(items: readonly Json[], issued: IssuedItems): void {
  const given = new Set<string>();
  for (const [index, { type, id }] of items.entries()) {
    if (type === 'reasoning') {
      given.add(shown(id));
      const next = items[index + 1];
      const follows = next?.['type'] === 'function_call' || next?.['role'] === 'assistant';
      if (!follows && next?.['type'] !== 'reasoning') {
        throw new Rejection(
          `Item '${shown(id)}' of type 'reasoning' was provided without its required following item.`,
          { param: 'input' },
        );
      }
    }
    const reasoning = issued.get(shown(id));
    if (reasoning !== undefined && !given.has(reasoning)) {
      throw new Rejection(
        `Item '${shown(id)}' of type '${shown(type ?? 'message')}' was provided without its required 'reasoning' item: '${reasoning}'.`,
        { param: 'input' },
      );
    }
  }
}

function checkSampling(body: Json, limits: Limits): void {
  const { temperature, max_output_tokens: maxTokens, reasoning, include } = body;
  const isReasoning = isReasoningModel(limits);
  const { maxOutput = Infinity } = limits.settings;
  decimal(temperature, 'temperature', [0, 2]);
  decimal(body['top_p'], 'top_p', [0, 1]);
  if (isReasoning && typeof temperature === 'number') throw unsupportedParameter('temperature');
  integer(maxTokens, 'max_output_tokens', 16);
  if (typeof maxTokens === 'number' && maxTokens > maxOutput) {
    throw new Rejection(
      `Invalid 'max_output_tokens': integer above maximum value. Expected a value <= ${maxOutput}, but got ${maxTokens} instead.`,
      { param: 'max_output_tokens', code: 'integer_above_max_value' },
    );
  }
  const { effort } = objectOf(reasoning);
  if (isObject(reasoning) && !isReasoning) {
    throw unsupportedParameter(`reasoning.${Object.keys(reasoning)[0] ?? 'effort'}`);
  }
  if (effort !== undefined && effort !== null) {
    const supported = effortsOf(limits);
    if (!supported.includes(string(effort, 'reasoning.effort'))) {
      throw unsupportedValue('reasoning.effort', effort, supported);
    }
  }
  if (listOf(include).includes('reasoning.encrypted_content') && !isReasoning) {
    throw new Rejection('Encrypted content is not supported with this model.', {
      param: 'include',
    });
  }
}

function checkFormat({ text, input, instructions }: Json): void {
  if (text === undefined || text === null) return;
  const { format } = object(text, 'text');
  if (format === undefined) return;
  const given = object(format, 'text.format');
  const type = oneOf(given['type'], 'text.format.type', ['text', 'json_object', 'json_schema']);
  if (type === 'json_schema') checkOutputSchema(given, 'text.format');
  if (type === 'json_object' && !mentionsJson([input, instructions])) {
    throw new Rejection(
      "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
      { param: 'input' },
    );
  }
}
