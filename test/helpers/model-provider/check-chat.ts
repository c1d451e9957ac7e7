/** What Chat Completions accepts. */
import { checkOutputSchema, checkTools, mentionsJson } from './check-openai-tools.js';
import { isObject, type Json, objectOf, parsesAsObject, shown } from './json.js';
import {
  array,
  boolean,
  decimal,
  functionName,
  integer,
  invalidType,
  missing,
  object,
  oneOf,
  string,
  unsupportedParameter,
  unsupportedValue,
} from './openai-values.js';
import { Rejection } from './rejection.js';
import { effortsOf, isReasoningModel, type Limits } from './settings.js';

const parameters = new Set(
  `audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages metadata
   modalities model n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_retention reasoning_effort
   response_format safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools
   top_logprobs top_p user verbosity web_search_options`.split(/\s+/),
);

export function checkChat(body: Json, limits: Limits): void {
  const unknown = Object.keys(body).find((name) => !parameters.has(name));
  // Most other servers ignore what they do not know.
  if (unknown !== undefined && limits.kind === 'openai') {
    throw new Rejection(`Unrecognized request argument supplied: ${unknown}`);
  }
  if (typeof body['model'] !== 'string') {
    throw new Rejection('you must provide a model parameter');
  }
  checkMessages(body['messages'], limits);
  checkTools(body, (tool, param) => {
    oneOf(tool['type'], `${param}.type`, ['function', 'custom']);
    return { function: object(tool['function'], `${param}.function`), place: `${param}.function` };
  });
  checkSampling(body, limits);
  checkFormat(body, limits);
  boolean(body['stream'], 'stream');
  if (isObject(body['stream_options']) && body['stream'] !== true) {
    throw new Rejection(
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      {
        param: 'stream_options',
      },
    );
  }
}

const roles = ['system', 'assistant', 'user', 'function', 'tool', 'developer'];

function checkMessages(value: unknown, limits: Limits): void {
  const messages = array(value, 'messages', { min: 1 }).map((message, index) =>
    object(message, `messages[${index}]`),
  );
  for (const [index, message] of messages.entries()) checkMessage(message, index, limits);
  checkOrder(messages);
  if (limits.rolesMustAlternate) checkAlternation(messages);
}

function checkMessage(message: Json, index: number, limits: Limits): void {
  const place = `messages[${index}]`;
  const role = oneOf(message['role'], `${place}.role`, roles);
  const calls = message['tool_calls'];
  const mayLackContent =
    role === 'assistant' && (calls !== undefined || typeof message['refusal'] === 'string');
  const { content } = message;
  if (content === undefined || content === null) {
    if (!mayLackContent) {
      throw new Rejection("Invalid value for 'content': expected a string, got null.", {
        param: `messages.[${index}].content`,
      });
    }
  } else if (typeof content !== 'string') {
    checkParts(content, `${place}.content`, role);
  }
  if (role === 'tool' && typeof message['tool_call_id'] !== 'string') {
    throw new Rejection(
      `Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.`,
      { param: `messages.[${index}].tool_call_id` },
    );
  }
  if (calls !== undefined) checkCalls(calls, `${place}.tool_calls`, limits);
}

function checkParts(content: unknown, place: string, role: string): void {
  if (!Array.isArray(content)) {
    throw invalidType(place, 'one of a string or array of objects', content);
  }
  const supported =
    role === 'user'
      ? ['text', 'image_url', 'input_audio', 'file']
      : role === 'assistant'
        ? ['text', 'refusal']
        : ['text'];
  for (const [index, part] of array(content, place, { min: 1 }).entries()) {
    const { type, text } = object(part, `${place}[${index}]`);
    oneOf(type, `${place}[${index}].type`, supported);
    if (type === 'text') string(text, `${place}[${index}].text`);
  }
}

function checkCalls(value: unknown, place: string, limits: Limits): void {
  for (const [index, item] of array(value, place, { min: 1, max: 128 }).entries()) {
    const call = object(item, `${place}[${index}]`);
    const { name, arguments: args } = object(call['function'], `${place}[${index}].function`);
    string(call['id'], `${place}[${index}].id`, { max: 40 });
    oneOf(call['type'], `${place}[${index}].type`, ['function', 'custom']);
    functionName(name, `${place}[${index}].function.name`);
    checkArguments(string(args, `${place}[${index}].function.arguments`), limits);
  }
}

function checkArguments(text: string, { kind, argumentsMustBeJson }: Limits): void {
  if (parsesAsObject(text)) return;
  if (kind === 'llama.cpp') {
    throw new Rejection(
      'Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error at line 1, column 1: syntax error',
      { status: 500, type: 'server_error' },
    );
  }
  if (kind === 'vllm' || argumentsMustBeJson) {
    throw new Rejection('Expecting value: line 1 column 1 (char 0)');
  }
}

/** Every call has its result, in the messages directly after it, and every result its call. */
function checkOrder(messages: readonly Json[]): void {
  let waiting: string[] = [];
  let known: string[] | undefined;
  for (const [index, message] of messages.entries()) {
    if (message['role'] === 'tool') {
      const id = shown(message['tool_call_id']);
      if (!known) {
        throw new Rejection(
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          { param: `messages.[${index}].role` },
        );
      }
      if (!known.includes(id)) {
        throw new Rejection(
          `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
          { param: `messages.[${index}].tool_call_id` },
        );
      }
      waiting = waiting.filter((other) => other !== id);
      continue;
    }
    rejectUnanswered(waiting, index);
    const calls = message['tool_calls'];
    known = Array.isArray(calls) ? calls.map((call) => shown(objectOf(call)['id'])) : undefined;
    waiting = known ?? [];
  }
  rejectUnanswered(waiting, messages.length);
}

function rejectUnanswered(waiting: readonly string[], index: number): void {
  if (waiting.length === 0) return;
  throw new Rejection(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${waiting.join(', ')}`,
    { param: `messages.[${index}].role` },
  );
}

/** The rule of the chat templates of Mistral, Gemma and others. */
function checkAlternation(messages: readonly Json[]): void {
  const spoken = messages.filter(
    ({ role, tool_calls }) => role === 'user' || (role === 'assistant' && tool_calls === undefined),
  );
  if (spoken.every(({ role }, index) => (role === 'user') === (index % 2 === 0))) return;
  throw new Rejection('Conversation roles must alternate user/assistant/user/assistant/...');
}

function checkSampling(body: Json, limits: Limits): void {
  const { temperature, max_tokens: maxTokens, max_completion_tokens: maxCompletion } = body;
  const reasoning = isReasoningModel(limits);
  decimal(temperature, 'temperature', [0, 2]);
  decimal(body['top_p'], 'top_p', [0, 1]);
  if (reasoning && typeof temperature === 'number')
    checkTemperatureOfReasoning(temperature, limits);
  integer(maxTokens, 'max_tokens', 1);
  integer(maxCompletion, 'max_completion_tokens', 1);
  if (isGiven(maxTokens) && isGiven(maxCompletion)) {
    throw new Rejection(
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      { code: 'invalid_parameter_combination' },
    );
  }
  if (reasoning && isGiven(maxTokens)) {
    throw unsupportedParameter('max_tokens', " Use 'max_completion_tokens' instead.");
  }
  for (const [param, value] of Object.entries({ maxTokens, maxCompletion })) {
    const { maxOutput = Infinity } = limits.settings;
    if (typeof value !== 'number' || value <= maxOutput) continue;
    const name = param === 'maxTokens' ? 'max_tokens' : 'max_completion_tokens';
    throw new Rejection(
      `${name} is too large: ${value}. This model supports at most ${maxOutput} completion tokens, whereas you provided ${value}.`,
      { param: name, code: 'invalid_value' },
    );
  }
  checkEffort(body['reasoning_effort'], limits);
}

const isGiven = (value: unknown) => value !== undefined && value !== null;

function checkTemperatureOfReasoning(temperature: number, { name }: Limits): void {
  if (/(^|\/)o3-mini/.test(name)) throw unsupportedParameter('temperature');
  if (temperature === 1) return;
  throw new Rejection(
    `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`,
    { param: 'temperature', code: 'unsupported_value' },
  );
}

function checkEffort(effort: unknown, limits: Limits): void {
  if (!isGiven(effort) || limits.kind !== 'openai') return;
  if (!isReasoningModel(limits)) {
    throw new Rejection('Unrecognized request argument supplied: reasoning_effort');
  }
  const supported = effortsOf(limits);
  if (!supported.includes(string(effort, 'reasoning_effort'))) {
    throw unsupportedValue('reasoning_effort', effort, supported);
  }
}

function checkFormat({ response_format: format, messages }: Json, { kind }: Limits): void {
  if (!isGiven(format)) return;
  const { type, json_schema: schema } = object(format, 'response_format');
  if (type === undefined) throw missing('response_format.type');
  if (kind === 'lmstudio' && type !== 'json_schema' && type !== 'text') {
    throw new Rejection("'response_format.type' must be 'json_schema' or 'text'");
  }
  if (kind === 'deepseek' && type === 'json_schema') {
    throw new Rejection('This response_format type is unavailable now');
  }
  oneOf(type, 'response_format.type', ['json_object', 'json_schema', 'text']);
  const needsWord = kind === 'openai' || kind === 'deepseek';
  if (type === 'json_object' && needsWord && !mentionsJson(messages)) {
    throw new Rejection(
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      { param: 'messages' },
    );
  }
  if (type === 'json_schema') {
    const place = 'response_format.json_schema';
    checkOutputSchema(object(schema, place), place);
  }
}
