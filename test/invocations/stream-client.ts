/** A client that reads a stream event by event, and can close its connection. */
import { randomUUID } from 'node:crypto';
import type { Call } from '../helpers/service/api.js';
import type { Tenant } from '../helpers/service/service.js';
import { type IdentifiedEvent, identifiedEventsOf, openStream } from './event-reader.js';
import { message, type ServiceWithModel } from './service-with-model.js';

export function keyed(agentId: string, text = 'Hi', key: string = randomUUID()): Call {
  return message(agentId, text, { headers: { 'idempotency-key': key } });
}

export const after = (call: Call, lastEventId: string): Call => ({
  ...call,
  headers: { ...call.headers, 'last-event-id': lastEventId },
});

export interface Client {
  requestId: string;
  replayed: string | null;
  next: () => Promise<IdentifiedEvent>;
  /** All remaining events. */
  rest: () => Promise<IdentifiedEvent[]>;
  leave: () => void;
}

export type Connect = (
  call: Call,
  instance?: { url: string },
  tenant?: Pick<Tenant, 'key'>,
) => Promise<Client>;

/** Connects to the fixture's service with the key of its tenant, unless others are given. */
export function streamClientOf(fixture: ServiceWithModel): Connect {
  return (call, { url } = fixture.service, { key } = fixture.tenant) => connect(call, url, key);
}

async function connect(call: Call, url: string, key: string): Promise<Client> {
  const connection = new AbortController();
  const response = await openStream(url, key, { ...call, signal: connection.signal });
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    throw new Error(`${response.status} ${await response.text()}`);
  }
  const events = identifiedEventsOf(response);
  return {
    requestId: response.headers.get('x-request-id') ?? '',
    replayed: response.headers.get('idempotency-replayed'),
    next: async () => {
      const next = await events.next();
      if (next.done === true) throw new Error('The stream has ended.');
      return next.value;
    },
    rest: async () => {
      const left = [];
      for await (const event of events) left.push(event);
      return left;
    },
    leave: () => {
      connection.abort();
    },
  };
}
