/** What a model replies, written once for all APIs: text, reasoning, tool calls, how it ends, and how it breaks. */
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ChatVoice } from './chat-voice.js';
import { estimateTokens } from './context-window.js';
import { isObject, type Json, objectOf } from './json.js';
import { MessagesVoice } from './messages-voice.js';
import { fillProperties } from './openai-schemas.js';
import type { Behaviour, Received } from './received.js';
import { Rejection } from './rejection.js';
import { ResponsesVoice } from './responses-voice.js';
import {
  contextOf,
  type Finish,
  type SpokenCall,
  setContext,
  type Usage,
  type Voice,
} from './voice.js';

export interface WantedCall {
  name: string;
  /** Strings are sent unchanged, also if they are not JSON. */
  arguments: object | string;
  /** By default one in the style of the API, which no other call has. */
  id?: string;
}

type Pieces = string | readonly string[];

/** Where a reply breaks, and how. An error is sent as an event of the API; `stall` keeps the connection open without a byte. */
export interface Break {
  after: 'nothing' | 'headers' | 'text' | 'half a call' | 'calls';
  by: 'cut' | 'end' | 'stall' | 'garbage' | Rejection;
}

export interface Reply {
  reasoning?: Pieces;
  text?: Pieces;
  refusal?: Pieces;
  calls?: readonly WantedCall[];
  /** By default what fits the reply: `stop`, `tool_calls` or `refusal`. Some servers say `stop` despite tool calls. */
  finish?: Finish;
  /** By default an estimate from the request and the reply. */
  usage?: Usage | 'none';
  breaks?: Break;
  /** Before the first byte. */
  delayMs?: number;
  /** After each piece of text or reasoning. */
  pauseMs?: number;
}

export function reply(wanted: Reply): Behaviour {
  return (res, request) => speak(res, request, wanted);
}

/** Calls tools, after some text if there is any. */
export function calling(...calls: WantedCall[]): Reply {
  return { calls };
}

async function speak(res: ServerResponse, request: Received, wanted: Reply): Promise<void> {
  const { breaks, delayMs = 0, pauseMs = 0 } = wanted;
  const body = objectOf(request.body);
  const usage = wanted.usage ?? estimate(body, wanted);
  setContext(res, {
    ...contextOf(res),
    input: usage === 'none' ? 0 : usage.input,
    usage: usage === 'none' ? undefined : usage,
  });
  const voice = voiceFor(res, request);
  if (delayMs > 0) await delay(delayMs);
  const breaksHere = (after: Break['after']) => {
    if (breaks?.after !== after) return false;
    breakBy(breaks.by, res, voice);
    return true;
  };
  if (breaksHere('nothing')) return;
  voice.begin();
  if (breaksHere('headers')) return;
  for (const kind of ['reasoning', 'text', 'refusal'] as const) {
    for (const piece of piecesIn(wanted[kind])) {
      voice[kind](piece);
      if (pauseMs > 0) await delay(pauseMs);
    }
  }
  if (breaksHere('text')) return;
  const calls = (wanted.calls ?? []).map((call) => spoken(call, res, request));
  for (const [index, call] of calls.entries()) {
    const half = breaks?.after === 'half a call' && index === calls.length - 1;
    voice.call(call, { half });
  }
  if (breaksHere('half a call') || breaksHere('calls')) return;
  voice.finish(wanted.finish ?? naturalFinish(wanted), usage);
}

function naturalFinish({ calls = [], refusal }: Reply): Finish {
  if (calls.length > 0) return 'tool_calls';
  return refusal === undefined ? 'stop' : 'refusal';
}

const piecesIn = (pieces: Pieces = []) => (typeof pieces === 'string' ? [pieces] : pieces);

export function voiceFor(res: ServerResponse, { api, kind }: Received): Voice {
  switch (api) {
    case 'messages':
      return new MessagesVoice(res);
    case 'responses':
      return new ResponsesVoice(res);
    default:
      return new ChatVoice(res, { namesErrors: kind === 'lmstudio' });
  }
}

function breakBy(by: Break['by'], res: ServerResponse, voice: Voice): void {
  if (by instanceof Rejection) voice.fail(by);
  else if (by === 'end') res.end();
  else if (by === 'garbage') res.end('event: delta\ndata: {"text": \n\ndata: }{\n\n');
  else if (by === 'cut') cutConnection(res);
}

/** Closes the connection once everything written before has been sent. */
export function cutConnection(res: ServerResponse): void {
  if (!res.headersSent) {
    res.destroy();
    return;
  }
  // A comment, which clients ignore.
  res.write(':\n\n', () => res.destroy());
}

function spoken(call: WantedCall, res: ServerResponse, request: Received): SpokenCall {
  const { name, arguments: args } = call;
  const prefix = request.api === 'messages' ? 'toolu' : 'call';
  return {
    id: call.id ?? `${prefix}_${contextOf(res).nextId()}`,
    name,
    arguments: typeof args === 'string' ? args : JSON.stringify(filled(name, args, request)),
  };
}

/** OpenAI Responses makes every property of a tool mandatory, unless the tool says `strict: false`. */
function filled(name: string, args: object, { api, prompt }: Received): object {
  const tool = prompt().tools.find((other) => other.name === name);
  const isStrict = tool?.strict ?? api === 'responses';
  return tool && isStrict && isObject(args) ? fillProperties(tool.parameters, args) : args;
}

function estimate(body: Json, { text, reasoning, refusal, calls = [] }: Reply): Usage {
  const length = (said: Pieces | undefined) => piecesIn(said).join('').length;
  const sent = length(text) + length(refusal) + JSON.stringify(calls).length - 2;
  const output = Math.ceil((sent + length(reasoning)) / 4);
  return { input: estimateTokens(body), output: Math.max(1, output) };
}
