/** Reads a streamed invocation as a client would, and holds each event against the contract. */
import type { InvocationEvent } from '../../generated/api.js';
import { readEvents } from '../../server/lib/event-stream.js';
import { type Call, contractCheck, send } from '../helpers/api.js';

export interface StreamedReply {
  status: number;
  headers: Headers;
  events: InvocationEvent[];
}

/** The whole stream. An answer that is no stream throws. */
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

export async function* eventsOf(response: Response): AsyncGenerator<InvocationEvent> {
  if (!response.body) throw new Error('The answer has no body.');
  const { asEvent } = await contractCheck();
  for await (const { event, data } of readEvents(response.body, 10_000_000)) {
    const content: unknown = JSON.parse(data);
    yield asEvent({ event, data: content });
  }
}

export function textOf(events: InvocationEvent[]): string {
  return events.map((event) => (event.event === 'delta' ? event.data.text : '')).join('');
}
