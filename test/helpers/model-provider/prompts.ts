/** Requests in one form for all APIs, so that tests can look at them without regard to the API. */
import { isObject, type Json, listOf, objectOf, textOf } from './json.js';
import type { ApiName } from './rejection.js';

export interface PromptCall {
  id: string;
  name: string;
  /** As sent; parsed if it was sent as JSON text. */
  arguments: unknown;
}

/** A message of the conversation; each result of a tool is one. */
export type PromptMessage =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; calls: PromptCall[]; reasoning: string }
  /** `isError` is known only to Anthropic. */
  | { role: 'tool'; id: string; text: string; isError: boolean };

export interface PromptTool {
  name: string;
  description: string;
  parameters: Json;
  strict: boolean | undefined;
}

export interface ModelPrompt {
  api: ApiName;
  model: string;
  /** Instructions, from wherever the API takes them. */
  system: string;
  messages: PromptMessage[];
  tools: PromptTool[];
  toolChoice: unknown;
  temperature: unknown;
  /** `max_tokens`, `max_completion_tokens` or `max_output_tokens`. */
  maxOutput: unknown;
  /** `reasoning_effort`, `reasoning` or `thinking`. */
  reasoning: unknown;
  /** `response_format`, `text.format` or `output_format`. */
  format: unknown;
  /** How many parts of the prompt are marked for Anthropic's cache. */
  cacheMarkers: number;
}

export function promptOf(api: ApiName, body: Json): ModelPrompt {
  const spoken = api === 'messages' ? anthropicMessages(body) : openaiMessages(api, body);
  const outputConfig = objectOf(body['output_config']);
  return {
    api,
    model: textOf(body['model']),
    ...spoken,
    tools: listOf(body['tools']).map((tool) => toolOf(objectOf(tool))),
    toolChoice: body['tool_choice'],
    temperature: body['temperature'],
    maxOutput: body['max_tokens'] ?? body['max_completion_tokens'] ?? body['max_output_tokens'],
    reasoning: body['reasoning_effort'] ?? body['reasoning'] ?? body['thinking'],
    format:
      body['response_format'] ??
      objectOf(body['text'])['format'] ??
      body['output_format'] ??
      outputConfig['format'],
    cacheMarkers: JSON.stringify(body).split('"cache_control":{').length - 1,
  };
}

function toolOf(tool: Json): PromptTool {
  const definition = isObject(tool['function']) ? tool['function'] : tool;
  const { name, description, parameters, input_schema: schema, strict } = definition;
  return {
    name: textOf(name),
    description: textOf(description),
    parameters: objectOf(parameters ?? schema),
    strict: typeof strict === 'boolean' ? strict : undefined,
  };
}

/** The text of a message, whether it comes as such or in parts. */
function plain(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => textOf(objectOf(part)['text'] ?? objectOf(part)['refusal']))
    .join('');
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(textOf(text)) as unknown;
  } catch {
    return text;
  }
}

interface Spoken {
  system: string;
  messages: PromptMessage[];
}

type AssistantMessage = Extract<PromptMessage, { role: 'assistant' }>;

/** What an assistant says in a row is one message. */
function assistant(messages: PromptMessage[]): AssistantMessage {
  const last = messages.at(-1);
  if (last?.role === 'assistant') return last;
  const added: AssistantMessage = { role: 'assistant', text: '', calls: [], reasoning: '' };
  messages.push(added);
  return added;
}

function openaiMessages(api: ApiName, body: Json): Spoken {
  const input = api === 'chat' ? body['messages'] : body['input'];
  const items =
    typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(input).map(objectOf);
  const system = [textOf(body['instructions'])];
  const messages: PromptMessage[] = [];
  for (const item of items) {
    const { role, type, content } = item;
    if (role === 'system' || role === 'developer') system.push(plain(content));
    else if (role === 'user') messages.push({ role, text: plain(content) });
    else if (role === 'tool' || type === 'function_call_output') {
      const id = textOf(item['tool_call_id'] ?? item['call_id']);
      messages.push({ role: 'tool', id, text: plain(content ?? item['output']), isError: false });
    } else if (role === 'assistant') {
      const said = assistant(messages);
      said.text += plain(content);
      said.reasoning += textOf(item['reasoning_content']);
      for (const call of listOf(item['tool_calls']).map(objectOf)) {
        const { name, arguments: args } = objectOf(call['function']);
        said.calls.push({ id: textOf(call['id']), name: textOf(name), arguments: parsed(args) });
      }
    } else if (type === 'function_call') {
      const { call_id: id, name, arguments: args } = item;
      assistant(messages).calls.push({
        id: textOf(id),
        name: textOf(name),
        arguments: parsed(args),
      });
    } else if (type === 'reasoning') assistant(messages).reasoning += plain(item['summary']);
  }
  return { system: system.filter((text) => text !== '').join('\n\n'), messages };
}

function anthropicMessages(body: Json): Spoken {
  const messages: PromptMessage[] = [];
  for (const { role, content } of listOf(body['messages']).map(objectOf)) {
    const blocks =
      typeof content === 'string'
        ? [{ type: 'text', text: content }]
        : listOf(content).map(objectOf);
    if (role === 'assistant') {
      for (const block of blocks) addBlock(assistant(messages), block);
    } else addUserBlocks(messages, blocks);
  }
  return { system: plain(body['system']), messages };
}

function addBlock(said: AssistantMessage, block: Json): void {
  const { type, text, thinking, id, name, input } = block;
  if (type === 'text') said.text += textOf(text);
  if (type === 'thinking') said.reasoning += textOf(thinking);
  if (type === 'tool_use') {
    said.calls.push({ id: textOf(id), name: textOf(name), arguments: input });
  }
}

function addUserBlocks(messages: PromptMessage[], blocks: readonly Json[]): void {
  for (const block of blocks) {
    if (block['type'] === 'tool_result') {
      const { tool_use_id: id, content, is_error: isError } = block;
      messages.push({
        role: 'tool',
        id: textOf(id),
        text: plain(content),
        isError: isError === true,
      });
    }
  }
  const texts = blocks.filter(({ type }) => type === 'text').map(({ text }) => textOf(text));
  if (texts.length > 0) messages.push({ role: 'user', text: texts.join('') });
}
