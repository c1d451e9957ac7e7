/** How a reply is spoken in the wire format of an API, event by event. */
import type { ServerResponse } from 'node:http';
import type { Rejection } from './rejection.js';

export interface Usage {
  /** All input tokens, including those from and into the cache. */
  input: number;
  output: number;
  cached?: number;
  cacheWritten?: number;
  reasoning?: number;
}

/** `window` is the end of the context window. `raw:…` is sent as it is. */
export type Finish =
  'stop' | 'length' | 'content_filter' | 'refusal' | 'tool_calls' | 'window' | `raw:${string}`;

export interface SpokenCall {
  id: string;
  name: string;
  /** Usually JSON. */
  arguments: string;
}

/** What a voice needs to know of the request that it answers. */
export interface VoiceContext {
  model: string;
  /** The tokens of the prompt, which Anthropic reports before its answer. */
  input: number;
  /** The other usage that is known at the start. */
  usage?: Usage | undefined;
  /** Whether a chat completion ends with a report of its usage. */
  reportsUsage: boolean;
  nextId: () => number;
  /** Remembers which reasoning belongs to an item of OpenAI Responses. */
  issue: (item: string, reasoning: string) => void;
}

/** The methods send events at once. Text, reasoning and refusals may come in any number of pieces. */
export interface Voice {
  /** Sends the headers and what comes before all content. Implied by the other methods. */
  begin: () => void;
  text: (piece: string) => void;
  reasoning: (piece: string) => void;
  refusal: (piece: string) => void;
  /** Half of the call ends in the middle of its arguments. */
  call: (call: SpokenCall, how?: { half: boolean }) => void;
  finish: (finish: Finish, usage: Usage | 'none') => void;
  /** An error in the middle of the stream, which ends it. */
  fail: (error: Rejection) => void;
}

export function known(finish: Finish): Exclude<Finish, `raw:${string}`> {
  const names = ['stop', 'length', 'content_filter', 'refusal', 'tool_calls', 'window'] as const;
  return names.find((name) => name === finish) ?? 'stop';
}

export const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;

export const named = (event: string, value: object): string => `event: ${event}\n${data(value)}`;

export function beginStream(res: ServerResponse): void {
  if (!res.headersSent) res.writeHead(200, { 'content-type': 'text/event-stream' });
}

/** Models send arguments in pieces. */
export function piecesOf(text: string): [string, string] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

const contexts = new WeakMap<ServerResponse, VoiceContext>();

/** Sets what the voices of this response know. */
export function setContext(res: ServerResponse, context: VoiceContext): void {
  contexts.set(res, context);
}

/** Also for servers of tests that are no model provider. */
export function contextOf(res: ServerResponse): VoiceContext {
  const known = contexts.get(res);
  if (known) return known;
  let ids = 0;
  const context: VoiceContext = {
    model: 'm',
    input: 5,
    reportsUsage: true,
    nextId: () => (ids += 1),
    issue: () => undefined,
  };
  contexts.set(res, context);
  return context;
}
