/** The responses of operations: their types, and the envelopes that the contract defines. */
import type { InvocationEvent, Pagination } from '../../generated/api.js';
import type { Page, PageRequest } from './page.js';

type Headers = Record<string, string | number>;

export interface JsonResponse {
  status: number;
  headers?: Headers;
  body?: unknown;
  /** The operation has already reserved memory for the body, until the response is sent. */
  isMemoryReserved?: boolean;
}

/** An event whose data is already JSON, as stored. */
export interface SerialisedEvent {
  event: InvocationEvent['event'];
  json: string;
}

export interface StreamedResponse {
  status: number;
  headers?: Headers;
  events: AsyncIterable<InvocationEvent | SerialisedEvent>;
  /** For a resumed stream: its id, and the position of the last event that the client received. */
  stream?: { id: string; after: number };
}

export type OperationResponse = JsonResponse | StreamedResponse;

export function ok<const Data>(data: Data) {
  return { status: 200, body: { success: true, data } } as const;
}

export function created<const Data>(data: Data) {
  return { status: 201, body: { success: true, data } } as const;
}

interface Paging extends PageRequest {
  sort?: unknown;
}

/** A filter of the contract has reached a list that does not read it. */
type UnreadFilter = 'The operation does not read this filter.';

/** Takes what is left of a query without its filters. A filter that the operation does not read is a type error here. */
export function paging<Query extends Paging>(
  query: Query & Record<Exclude<keyof Query, keyof Paging>, UnreadFilter>,
): Query {
  return query;
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

export function paginationOf(
  { limit, offset }: PageRequest,
  { items, total }: Page<unknown>,
): Pagination {
  return { limit, offset, total, has_more: offset + items.length < total };
}
