/** Reads a streamed invocation as a client would, and checks each event against the contract. */
import type { InvocationEvent } from '../../generated/api.js';
import { type Call, send } from '../helpers/service/api.js';
import { asEvent } from '../helpers/service/contract-check.js';

export interface StreamedReply {
  status: number;
  headers: Headers;
  events: InvocationEvent[];
}

/** Reads the whole stream. Throws if the response is not a stream. */
export async function streamed(url: string, key: string, call: Call): Promise<StreamedReply> {
  const response = await openStream(url, key, call);
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    throw new Error(`No stream, but ${response.status}: ${await response.text()}`);
  }
  const events: InvocationEvent[] = [];
  for await (const event of eventsOf(response)) events.push(event);
  return { status: response.status, headers: response.headers, events };
}

export function openStream(url: string, key: string, call: Call): Promise<Response> {
  return send(url, 'invokeAgent', {
    ...call,
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${key}`,
      ...call.headers,
    },
  });
}

/** Without the ids, which differ between requests. */
export async function* eventsOf(response: Response): AsyncGenerator<InvocationEvent> {
  for await (const event of identifiedEventsOf(response)) yield withoutId(event);
}

export function withoutId({ event, data }: InvocationEvent): InvocationEvent {
  return { event, data } as InvocationEvent;
}

export type IdentifiedEvent = InvocationEvent & { id: string };

export async function* identifiedEventsOf(response: Response): AsyncGenerator<IdentifiedEvent> {
  if (!response.body) throw new Error('The answer has no body.');
  for await (const block of blocksOf(response.body)) {
    const lines = new Map(block.split('\n').map((line) => splitAt(line, ': ')));
    const [id, event, data] = ['id', 'event', 'data'].map((field) => lines.get(field));
    if (data === undefined) continue;
    const content: unknown = JSON.parse(data);
    if (id === undefined) throw new Error(`An event has no id: ${block}`);
    yield { ...asEvent({ id, event, data: content }), id };
  }
}

async function* blocksOf(body: NonNullable<Response['body']>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    yield* blocks;
  }
}

function splitAt(text: string, separator: string): [before: string, after: string] {
  const [before = '', ...after] = text.split(separator);
  return [before, after.join(separator)];
}

export function textOf(events: InvocationEvent[]): string {
  return events.map((event) => (event.event === 'delta' ? event.data.text : '')).join('');
}
