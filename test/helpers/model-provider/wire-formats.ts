/** Replies in one given wire format, for tests that write to a response themselves. Other tests describe a `Reply`. */
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ChatVoice } from './chat-voice.js';
import { MessagesVoice } from './messages-voice.js';
import { cutConnection, type WantedCall } from './reply.js';
import { ResponsesVoice } from './responses-voice.js';
import { beginStream, contextOf, named, type Voice } from './voice.js';

export interface WireFormat {
  /** Begins a response, sends the words, and stops there. */
  say: (res: ServerResponse, words: string[]) => void;
  /** Completes a response. */
  finish: (res: ServerResponse, usage: { input: number; output: number }) => void;
}

/** A provider's reaction to any request. */
export type Respond = (res: ServerResponse) => void;

interface SpokenFormat extends WireFormat {
  voice: (res: ServerResponse) => Voice;
}

function spokenFormat(create: (res: ServerResponse) => Voice): SpokenFormat {
  const voices = new WeakMap<ServerResponse, Voice>();
  const voice = (res: ServerResponse) => {
    const known = voices.get(res) ?? create(res);
    voices.set(res, known);
    return known;
  };
  return {
    voice,
    say: (res, words) => {
      voice(res).begin();
      for (const word of words) voice(res).text(word);
    },
    finish: (res, usage) => {
      voice(res).finish('stop', usage);
    },
  };
}

/** Chat completions, as streamed by Ollama, vLLM and llama.cpp. */
export const chatCompletions = spokenFormat((res) => new ChatVoice(res));

/** The same, with the usage so far in each chunk, as vLLM does on request. */
export const countedCompletions: WireFormat = spokenFormat(
  (res) => new ChatVoice(res, { countsChunks: true }),
);

/** OpenAI Responses. */
export const openaiResponses = spokenFormat((res) => new ResponsesVoice(res));

/** Anthropic Messages. */
export const anthropicMessages = spokenFormat((res) => new MessagesVoice(res));

/** An HTTP agent that streams like this service. */
export const ownEvents: WireFormat = {
  say(res, words) {
    beginStream(res);
    res.write(': a comment\n\n');
    for (const text of words) res.write(named('delta', { text }));
  },
  finish(res, { input, output }) {
    res.end(named('done', { tokens_used: input + output }));
  },
};

export function answer(format: WireFormat, words: string[]): Respond {
  return (res) => {
    format.say(res, words);
    format.finish(res, { input: 5, output: words.length });
  };
}

/** A response that is sent when the test says so, to pending requests and immediately to later ones. */
export function answerLater(
  format: WireFormat,
  words: string[],
): { reply: Respond; finish: () => void } {
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
export function cut(format: WireFormat, words: string[]): Respond {
  return (res) => {
    format.say(res, words);
    cutConnection(res);
  };
}

/** Sends some text and then ends the stream without an end event. */
export function breakOff(format: WireFormat, words: string[]): Respond {
  return (res) => {
    format.say(res, words);
    res.end();
  };
}

/** Sends some text and then stalls. */
export function stall(format: WireFormat, words: string[]): Respond {
  return (res) => {
    format.say(res, words);
  };
}

/** Sends some text and then garbage. */
export function garble(format: WireFormat, words: string[]): Respond {
  return (res) => {
    format.say(res, words);
    res.end('event: delta\ndata: {"text": \n\ndata: }{\n\n');
  };
}

/** Calls tools, as chat completions. */
export function callTools(calls: WantedCall[], words: string[] = []): Respond {
  return callToolsIn(chatCompletions, calls, words);
}

/** Calls tools, in any format of a model. */
export function callToolsIn(
  format: SpokenFormat,
  calls: readonly WantedCall[],
  words: string[] = [],
): Respond {
  return (res) => {
    format.say(res, words);
    const voice = format.voice(res);
    for (const { id, name, arguments: args } of calls) {
      voice.call({
        id: id ?? `call_${contextOf(res).nextId()}`,
        name,
        arguments: typeof args === 'string' ? args : JSON.stringify(args),
      });
    }
    voice.finish('tool_calls', { input: 10, output: 2 });
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
