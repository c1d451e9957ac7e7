/** The wire format of each provider: how it streams a response, and how it can fail halfway. */
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

export interface WireFormat {
  /** Begins a response, sends the words, and stops there. */
  say: (res: ServerResponse, words: string[]) => void;
  /** Completes a response. */
  finish: (res: ServerResponse, usage: { input: number; output: number }) => void;
}

/** A provider's reaction to any request. */
export type Reply = (res: ServerResponse) => void;

export function answer(format: WireFormat, words: string[]): Reply {
  return (res) => {
    format.say(res, words);
    format.finish(res, { input: 5, output: words.length });
  };
}

/** A response that is sent when the test says so, to pending requests and immediately to later ones. */
export function answerLater(
  format: WireFormat,
  words: string[],
): { reply: Reply; finish: () => void } {
  const now = answer(format, words);
  const waiting: ServerResponse[] = [];
  let finished = false;
  return {
    reply: (res) => {
      if (finished) now(res);
      else waiting.push(res);
    },
    finish: () => {
      finished = true;
      for (const res of waiting.splice(0)) now(res);
    },
  };
}

/** Sends some text and then closes the connection. */
export function cut(format: WireFormat, words: string[]): Reply {
  return (res) => {
    format.say(res, words);
    // A comment, which clients ignore: once it is written, the text before it has been flushed.
    res.write(':\n\n', () => res.destroy());
  };
}

/** Sends some text and then ends the stream without an end event. */
export function breakOff(format: WireFormat, words: string[]): Reply {
  return (res) => {
    format.say(res, words);
    res.end();
  };
}

/** Sends some text and then stalls. */
export function stall(format: WireFormat, words: string[]): Reply {
  return (res) => {
    format.say(res, words);
  };
}

/** Sends some text and then garbage. */
export function garble(format: WireFormat, words: string[]): Reply {
  return (res) => {
    format.say(res, words);
    res.end('event: delta\ndata: {"text": \n\ndata: }{\n\n');
  };
}

function begin(res: ServerResponse): void {
  if (!res.headersSent) res.writeHead(200, { 'content-type': 'text/event-stream' });
}

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const named = (event: string, value: object) => `event: ${event}\n${data(value)}`;

const chunk = (choices: object[], more = {}) =>
  data({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more });

/** Chat completions, as streamed by Ollama, vLLM and llama.cpp. */
export const chatCompletions: WireFormat = {
  say(res, words) {
    begin(res);
    res.write(
      chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]),
    );
    for (const content of words) {
      res.write(chunk([{ index: 0, delta: { content }, finish_reason: null }]));
    }
  },
  finish(res, { input, output }) {
    res.write(chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]));
    const usage = {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
    };
    res.end(`${chunk([], { usage })}data: [DONE]\n\n`);
  },
};

export interface WantedCall {
  name: string;
  /** Strings are sent unchanged, also if they are not JSON. */
  arguments: object | string;
}

/** Calls tools, as chat completions. */
export function callTools(calls: WantedCall[], words: string[] = []): Reply {
  return (res) => {
    chatCompletions.say(res, words);
    const tool_calls = calls.map(({ name, arguments: args }, index) => ({
      index,
      id: `provider-${index}`,
      type: 'function',
      function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
    }));
    res.write(chunk([{ index: 0, delta: { tool_calls }, finish_reason: null }]));
    res.write(chunk([{ index: 0, delta: {}, finish_reason: 'tool_calls' }]));
    const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
    res.end(`${chunk([], { usage })}data: [DONE]\n\n`);
  };
}

/** The same, with the usage so far in each chunk, as vLLM does on request. */
export const countedCompletions: WireFormat = {
  ...chatCompletions,
  say(res, words) {
    begin(res);
    for (const [index, content] of words.entries()) {
      const usage = { prompt_tokens: 5, completion_tokens: index + 1, total_tokens: index + 6 };
      res.write(chunk([{ index: 0, delta: { content }, finish_reason: null }], { usage }));
    }
  },
};

const item = { type: 'message', id: 'msg_1', role: 'assistant' };

/** OpenAI Responses. */
export const openaiResponses: WireFormat = {
  say(res, words) {
    begin(res);
    const response = { id: 'resp_1', created_at: 1, model: 'm' };
    res.write(data({ type: 'response.created', response }));
    const added = { ...item, status: 'in_progress', content: [] };
    res.write(data({ type: 'response.output_item.added', output_index: 0, item: added }));
    for (const delta of words) {
      const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
      res.write(data({ type: 'response.output_text.delta', ...place, delta }));
    }
  },
  finish(res, { input, output }) {
    const done = { ...item, status: 'completed', content: [] };
    res.write(data({ type: 'response.output_item.done', output_index: 0, item: done }));
    const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
    res.end(data({ type: 'response.completed', response: { id: 'resp_1', usage } }));
  },
};

/** Anthropic Messages. */
export const anthropicMessages: WireFormat = {
  say(res, words) {
    begin(res);
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 5, output_tokens: 1 },
    };
    res.write(named('message_start', { type: 'message_start', message }));
    const block = { type: 'text', text: '' };
    const start = { type: 'content_block_start', index: 0, content_block: block };
    res.write(named('content_block_start', start));
    res.write(named('ping', { type: 'ping' }));
    for (const text of words) {
      const delta = { type: 'text_delta', text };
      const event = { type: 'content_block_delta', index: 0, delta };
      res.write(named('content_block_delta', event));
    }
  },
  finish(res, { output }) {
    res.write(named('content_block_stop', { type: 'content_block_stop', index: 0 }));
    const delta = { stop_reason: 'end_turn', stop_sequence: null };
    const usage = { output_tokens: output };
    res.write(named('message_delta', { type: 'message_delta', delta, usage }));
    res.end(named('message_stop', { type: 'message_stop' }));
  },
};

/** An HTTP agent that streams like this service. */
export const ownEvents: WireFormat = {
  say(res, words) {
    begin(res);
    res.write(': a comment\n\n');
    for (const text of words) res.write(named('delta', { text }));
  },
  finish(res, { input, output }) {
    res.end(named('done', { tokens_used: input + output }));
  },
};

/** Calls one tool, as OpenAI Responses. */
export function callToolOfResponses({ name, arguments: args }: WantedCall): Reply {
  return (res) => {
    begin(res);
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_a', name };
    const text = JSON.stringify(args);
    const place = { output_index: 0, item_id: 'fc_1' };
    const added = { ...call, arguments: '', status: 'in_progress' };
    const done = { ...call, arguments: text, status: 'completed' };
    const usage = { input_tokens: 10, output_tokens: 2, total_tokens: 12 };
    for (const event of [
      { type: 'response.created', response: { id: 'resp_1', created_at: 1, model: 'm' } },
      { type: 'response.output_item.added', output_index: 0, item: added },
      { type: 'response.function_call_arguments.delta', ...place, delta: text },
      { type: 'response.output_item.done', output_index: 0, item: done },
      { type: 'response.completed', response: { id: 'resp_1', usage } },
    ]) {
      res.write(data(event));
    }
    res.end();
  };
}

/** Calls one tool, as Anthropic Messages. */
export function callToolOfMessages({ name, arguments: args }: WantedCall): Reply {
  return (res) => {
    begin(res);
    const usage = { input_tokens: 10, output_tokens: 2 };
    const message = {
      id: 'm_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      usage,
    };
    const content_block = { type: 'tool_use', id: 'toolu_a', name, input: {} };
    const partial = { type: 'input_json_delta', partial_json: JSON.stringify(args) };
    for (const event of [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block },
      { type: 'content_block_delta', index: 0, delta: partial },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ]) {
      res.write(named(event.type, event));
    }
    res.end();
  };
}

/** Slow chat completions, with a pause after each word. */
export function slowCompletions(
  words: string[],
  pauseMs: number,
): (res: ServerResponse) => Promise<void> {
  return async (res) => {
    for (const word of words) {
      chatCompletions.say(res, [word]);
      await delay(pauseMs);
    }
    chatCompletions.finish(res, { input: 5, output: words.length });
  };
}
