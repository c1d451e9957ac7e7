/** What Anthropic Messages accepts. */
import { createHash } from 'node:crypto';
import { isBlank, isObject, type Json, listOf, objectOf, textOf, shown } from './json.js';
import { Rejection } from './rejection.js';
import type { Limits } from './settings.js';

const parameters = new Set(
  `cache_control container context_management inference_geo max_tokens mcp_servers messages metadata model output_config
   output_format service_tier speed stop_sequences stream system temperature thinking tool_choice tools top_k top_p`.split(
    /\s+/,
  ),
);

const reject = (message: string): never => {
  throw new Rejection(message);
};

export function checkMessages(body: Json, limits: Limits): void {
  for (const name of Object.keys(body)) {
    if (!parameters.has(name)) reject(`${name}: Extra inputs are not permitted`);
  }
  if (typeof body['model'] !== 'string') reject('model: Field required');
  checkMaxTokens(body['max_tokens'], limits);
  checkSystem(body['system']);
  const messages = merged(body['messages']);
  for (const [index, message] of messages.entries()) checkMessage(message, index);
  checkContents(messages, limits);
  checkResults(messages);
  checkTools(body);
  checkThinking(body, messages);
  checkTemperature(body, limits);
  checkCacheControl(body);
}

function checkMaxTokens(value: unknown, { name, settings }: Limits): void {
  const { maxOutput = 64_000 } = settings;
  if (value === undefined) reject('max_tokens: Field required');
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    return reject('max_tokens: Input should be a valid integer');
  }
  if (value < 1) reject('max_tokens: must be greater than or equal to 1');
  if (value > maxOutput) {
    reject(
      `max_tokens: ${value} > ${maxOutput}, which is the maximum allowed number of output tokens for ${name}`,
    );
  }
}

function checkSystem(system: unknown): void {
  if (system === undefined || typeof system === 'string') return;
  if (!Array.isArray(system)) reject('system: Input should be a valid list');
  for (const block of listOf(system)) {
    const text = textOf(objectOf(block)['text']);
    if (text === '') reject('system: text content blocks must be non-empty');
    if (isBlank(text)) reject('system: text content blocks must contain non-whitespace text');
  }
}

interface Turn {
  role: 'user' | 'assistant';
  blocks: readonly Json[];
}

/** The API merges consecutive messages of one role. */
function merged(value: unknown): Turn[] {
  if (value === undefined) reject('messages: Field required');
  if (!Array.isArray(value)) reject('messages: Input should be a valid list');
  const messages = listOf(value);
  if (messages.length === 0) reject('messages: at least one message is required');
  const turns: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    const { role, content, ...others } = objectOf(message);
    const [unknown] = Object.keys(others);
    if (unknown !== undefined)
      reject(`messages.${index}.${unknown}: Extra inputs are not permitted`);
    if (role !== 'user' && role !== 'assistant') return reject(unexpectedRole(role));
    const last = turns.at(-1);
    const blocks = blocksOf(content, index, index === messages.length - 1 && role === 'assistant');
    if (last?.role === role) last.blocks = [...last.blocks, ...blocks];
    else turns.push({ role, blocks });
  }
  if (turns[0]?.role !== 'user') reject('messages: first message must use the "user" role');
  return turns;
}

function unexpectedRole(role: unknown): string {
  const allowed = 'Allowed roles are "user" or "assistant"';
  const system =
    'The Messages API accepts a top-level `system` parameter, not "system" as an input message role.';
  return `messages: Unexpected role "${shown(role)}". ${role === 'system' ? system : allowed}`;
}

function blocksOf(content: unknown, index: number, mayBeEmpty: boolean): readonly Json[] {
  if (content === undefined) reject(`messages.${index}.content: Field required`);
  if (typeof content !== 'string' && !Array.isArray(content)) {
    reject(`messages.${index}.content: Input should be a valid string or a valid list`);
  }
  const isEmpty = content === '' || (Array.isArray(content) && content.length === 0);
  if (isEmpty) {
    if (mayBeEmpty) return [];
    reject(
      `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    );
  }
  return typeof content === 'string'
    ? [{ type: 'text', text: content }]
    : listOf(content).map(objectOf);
}

const kinds: Record<Turn['role'], readonly string[]> = {
  user: ['text', 'image', 'document', 'search_result', 'tool_result'],
  assistant: ['text', 'thinking', 'redacted_thinking', 'tool_use'],
};

const idPattern = '^[a-zA-Z0-9_-]+$';
const namePattern = '^[a-zA-Z0-9_-]{1,128}$';

function checkPattern(value: unknown, place: string, pattern: string): void {
  if (value === undefined) reject(`${place}: Field required`);
  if (typeof value !== 'string') reject(`${place}: Input should be a valid string`);
  if (!new RegExp(pattern).test(shown(value))) {
    reject(`${place}: String should match pattern '${pattern}'`);
  }
}

function checkMessage({ role, blocks }: Turn, index: number): void {
  for (const [position, block] of blocks.entries()) {
    const type = shown(block['type']);
    const place = `messages.${index}.content.${position}`;
    if (type === 'tool_use' && role === 'user') {
      reject(`messages.${index}: \`tool_use\` blocks can only be in \`assistant\` messages`);
    }
    if (type === 'tool_result' && role === 'assistant') {
      reject(`messages.${index}: \`tool_result\` blocks can only be in \`user\` messages`);
    }
    if (!kinds[role].includes(type)) {
      reject(
        `${place}: Input tag '${type}' found using 'type' does not match any of the expected tags`,
      );
    }
    if (type === 'text' && typeof block['text'] !== 'string') {
      reject(`${place}.text.text: Input should be a valid string`);
    }
    if (type === 'tool_use') checkToolUse(block, `${place}.tool_use`);
    if (type === 'tool_result') checkToolResult(block, `${place}.tool_result`);
    if (type === 'thinking' && block['signature'] !== signatureOf(textOf(block['thinking']))) {
      reject(`${place}: Invalid \`signature\` in \`thinking\` block`);
    }
  }
}

function checkToolUse(block: Json, place: string): void {
  checkPattern(block['id'], `${place}.id`, idPattern);
  checkPattern(block['name'], `${place}.name`, namePattern);
  if (block['input'] === undefined) reject(`${place}.input: Field required`);
  if (!isObject(block['input'])) reject(`${place}.input: Input should be a valid dictionary`);
}

function checkToolResult(block: Json, place: string): void {
  checkPattern(block['tool_use_id'], `${place}.tool_use_id`, idPattern);
  const { content, is_error: isError } = block;
  const isEmpty = content === undefined || content === '' || listOf(content).length === 0;
  if (isError === true && isEmpty && typeof content !== 'string') {
    reject(`${place}: content cannot be empty if \`is_error\` is true`);
  }
  if (isError === true && content === '') {
    reject(`${place}: content cannot be empty if \`is_error\` is true`);
  }
  for (const part of listOf(content)) {
    const { type, text } = objectOf(part);
    if (type === 'text' && textOf(text) === '') {
      reject('messages: text content blocks must be non-empty');
    }
  }
}

/** A signature that only this provider issues. */
export function signatureOf(thinking: string): string {
  return createHash('sha256').update(`signed ${thinking}`).digest('base64');
}

const textsOf = ({ blocks }: Turn) =>
  blocks.filter(({ type }) => type === 'text').map(({ text }) => textOf(text));

function checkContents(turns: readonly Turn[], { settings }: Limits): void {
  for (const turn of turns) {
    const texts = textsOf(turn);
    if (texts.includes('')) reject('messages: text content blocks must be non-empty');
    if (texts.length > 0 && texts.every(isBlank)) {
      reject('messages: text content blocks must contain non-whitespace text');
    }
  }
  const last = turns.at(-1);
  if (last?.role !== 'assistant') return;
  if (settings.rejectsPrefill) {
    reject(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  }
  if (/\s$/.test(textsOf(last).at(-1) ?? '')) {
    reject('messages: final assistant content cannot end with trailing whitespace');
  }
}

/** Every call has exactly one result, at the start of the next message, and every result its call. */
function checkResults(turns: readonly Turn[]): void {
  const used = new Set<string>();
  for (const [index, turn] of turns.entries()) {
    const calls = idsOf(turn, 'tool_use', 'id');
    for (const id of calls) {
      if (used.has(id)) reject(`messages.${index}: \`tool_use\` ids must be unique`);
      used.add(id);
    }
    const next = turns[index + 1];
    const results = next ? leadingResults(next) : [];
    const unanswered = calls.filter((id) => !results.includes(id));
    if (unanswered.length > 0) {
      reject(
        `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${unanswered.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
    }
    checkResultsOf(turn, index, turns[index - 1]);
  }
}

function idsOf({ blocks }: Turn, type: string, field: string): string[] {
  return blocks.filter((block) => block['type'] === type).map((block) => shown(block[field]));
}

function leadingResults(turn: Turn): string[] {
  const end = turn.blocks.findIndex(({ type }) => type !== 'tool_result');
  const blocks = end === -1 ? turn.blocks : turn.blocks.slice(0, end);
  return idsOf({ ...turn, blocks }, 'tool_result', 'tool_use_id');
}

function checkResultsOf(turn: Turn, index: number, previous: Turn | undefined): void {
  const calls = previous ? idsOf(previous, 'tool_use', 'id') : [];
  const seen = new Set<string>();
  for (const [position, block] of turn.blocks.entries()) {
    if (block['type'] !== 'tool_result') continue;
    const id = shown(block['tool_use_id']);
    if (!calls.includes(id)) {
      reject(
        `messages.${index}.content.${position}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    if (seen.has(id)) {
      reject(
        `messages.${index}.content.${position}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    }
    seen.add(id);
  }
}

function checkTools({ tools, tool_choice: choice, messages }: Json): void {
  if (tools === undefined || listOf(tools).length === 0) {
    if (choice !== undefined) reject('tool_choice may only be specified while providing `tools`.');
    if (/"type":"tool_(use|result)"/.test(JSON.stringify(messages))) {
      reject('Requests which include `tool_use` or `tool_result` blocks must define tools.');
    }
    return;
  }
  const names = new Set<unknown>();
  for (const [index, item] of listOf(tools).entries()) {
    const tool = objectOf(item);
    if (tool['type'] !== undefined && tool['type'] !== 'custom') continue;
    const place = `tools.${index}.custom`;
    checkPattern(tool['name'], `${place}.name`, namePattern);
    checkInputSchema(tool['input_schema'], `${place}.input_schema`);
    if (names.has(tool['name'])) reject('tools: Tool names must be unique.');
    names.add(tool['name']);
  }
}

function checkInputSchema(value: unknown, place: string): void {
  if (value === undefined) reject(`${place}: Field required`);
  if (!isObject(value)) return reject(`${place}: Input should be a valid dictionary`);
  const schema: Json = value;
  if (schema['type'] === undefined) reject(`${place}.type: Field required`);
  if (schema['type'] !== 'object') reject(`${place}.type: Input should be 'object'`);
  if (['oneOf', 'allOf', 'anyOf'].some((name) => name in schema)) {
    reject(`${place}: input_schema does not support oneOf, allOf, or anyOf at the top level`);
  }
  const keys = Object.keys(objectOf(schema['properties']));
  if (keys.some((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key))) {
    reject(`${place}.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`);
  }
}

function checkThinking(body: Json, turns: readonly Turn[]): void {
  const { thinking, max_tokens: maxTokens, tool_choice: choice } = body;
  const { type, budget_tokens: budget } = objectOf(thinking);
  if (type === undefined || type === 'disabled') return;
  if (type !== 'enabled' && type !== 'adaptive') {
    reject(
      `thinking: Input tag '${shown(type)}' found using 'type' does not match any of the expected tags: 'adaptive', 'disabled', 'enabled'`,
    );
  }
  if (type === 'enabled') {
    if (typeof budget !== 'number') return reject('thinking.enabled.budget_tokens: Field required');
    if (budget < 1024) {
      reject('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
    }
    if (typeof maxTokens === 'number' && budget >= maxTokens) {
      reject('`max_tokens` must be greater than `thinking.budget_tokens`.');
    }
  }
  const { type: chosen } = objectOf(choice);
  if (chosen === 'any' || chosen === 'tool') {
    reject('Thinking may not be enabled when tool_choice forces tool use.');
  }
  // Only the turn that is under way must still have its thinking.
  const start = turns.findLastIndex(
    ({ role, blocks }) =>
      role === 'user' && blocks.some((block) => block['type'] !== 'tool_result'),
  );
  for (const [index, { role, blocks }] of turns.entries()) {
    const [first] = blocks;
    if (index < start || role !== 'assistant' || type !== 'enabled') continue;
    if (first && !shown(first['type']).includes('thinking')) {
      reject(
        `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${shown(first['type'])}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
      );
    }
  }
}

function checkTemperature({ temperature, thinking }: Json, { settings }: Limits): void {
  if (temperature === undefined) return;
  if (typeof temperature !== 'number') reject('temperature: Input should be a valid number');
  if (settings.rejectsTemperature) reject('`temperature` is deprecated for this model.');
  if (Number(temperature) < 0 || Number(temperature) > 1) reject('temperature: range: 0..1');
  const { type = 'disabled' } = objectOf(thinking);
  if (type !== 'disabled' && temperature !== 1) {
    reject('`temperature` may only be set to 1 when thinking is enabled.');
  }
}

function checkCacheControl(body: Json): void {
  const marked = JSON.stringify(body).split('"cache_control":{').length - 1;
  if (marked > 4) {
    reject(`A maximum of 4 blocks with cache_control may be provided. Found ${marked}.`);
  }
}
