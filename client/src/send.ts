/** The few ways in which operations are called, from the request to its data. */
import { createQuerySerializer } from 'openapi-fetch';
import { dataOf } from './answer.js';
import { deliver, type Incoming } from './deliver.js';
import { headersFrom, type HeaderOptions } from './generated/service.js';
import type { HeaderFields, RequestOptions, Settings } from './options.js';
import { pagesOf, type Pages } from './pages.js';
import { streamOf, type InvocationStream } from './stream.js';

type CallOptions = RequestOptions & HeaderOptions;

/** What comes back is typed by the interface of the resources, which is made from the contract like their calls. */
export type Sender = [
  send: (
    method: string,
    path: string,
    options?: CallOptions,
    body?: object,
    header?: HeaderFields,
  ) => Promise<never>,
  stream: (method: string, path: string, options?: CallOptions, body?: object) => InvocationStream,
  list: (path: string, query?: object, options?: RequestOptions) => Pages<never>,
];

export function createSender(settings: Settings): Sender {
  const open = (
    method: string,
    path: string,
    options?: CallOptions,
    body?: object,
    header?: HeaderFields,
  ): Promise<Incoming> =>
    deliver(
      settings,
      {
        input: () => settings.baseUrl + path,
        method,
        headers: merged(
          { accept: 'application/json', 'content-type': body && 'application/json' },
          settings.headers,
          headersFrom(options),
          options?.headers,
          header,
        ),
        body: JSON.stringify(body),
      },
      options,
    );
  const send: Sender[0] = async (...call) => dataOf(await open(...call)) as never;
  return [
    send,
    (...call) => streamOf(() => open(...call, { accept: 'text/event-stream' })),
    (path, query, options) =>
      pagesOf((page) => send('GET', path + queryString(page), options), query),
  ];
}

/** Later ones go before earlier ones. A `Headers` object would do the same, at several times the cost. */
function merged(...all: (Record<string, string | undefined> | undefined)[]): HeaderFields {
  const fields: HeaderFields = {};
  for (const one of all) {
    for (const name in one) {
      const value = one[name];
      if (value !== undefined) fields[name.toLowerCase()] = value;
    }
  }
  return fields;
}

/** Ids come from users: none of them may lead to another path. */
export function segment(value: string): string {
  if (/^\.{0,2}$/.test(value)) throw new TypeError(`Not an id: '${value}'`);
  return encodeURIComponent(value);
}

export function queryString(query: object): string {
  return `?${createQuerySerializer()(query)}`;
}
