/** The responses of operations: their general types, and the envelopes of the contract. */
import type { InvocationEvent } from '../../generated/api.js';
import { type Page, type PageRequest, paginationOf } from '../domain/page.js';

type Headers = Record<string, string | number>;

export interface JsonResponse {
  status: number;
  headers?: Headers;
  body?: unknown;
  /** Its memory is counted already, until the response is sent. */
  isCounted?: boolean;
}

/** An event whose data is JSON already, as it was stored. */
export interface SerialisedEvent {
  event: InvocationEvent['event'];
  json: string;
}

export interface StreamedResponse {
  status: number;
  headers?: Headers;
  events: AsyncIterable<InvocationEvent | SerialisedEvent>;
  /** The stream that they belong to, and how many of it came before; by default that of the request, and none. */
  stream?: { id: string; after: number };
}

export type OperationResponse = JsonResponse | StreamedResponse;

export function ok<const Data>(data: Data) {
  return { status: 200, body: { success: true, data } } as const;
}

export function created<const Data>(data: Data) {
  return { status: 201, body: { success: true, data } } as const;
}

export function list<Item, Data>(
  request: PageRequest,
  page: Page<Item>,
  present: (item: Item) => Data,
) {
  return {
    status: 200,
    body: { data: page.items.map(present), pagination: paginationOf(request, page) },
  } as const;
}
