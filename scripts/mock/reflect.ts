/** Adapts an example of the contract to a request: to its names, fields, filters, page and time range. */

import { isDeepStrictEqual } from 'node:util';
import type { MetricName } from '../../generated/api.js';
import type { Query } from '../../generated/operations.js';
import { bucketStarts, presentSeries } from '../../server/metrics/metrics.js';
import { paginationOf } from '../../server/contract/response.js';
import { rangeOf } from '../../server/contract/time-range.js';
import type { ExampleRequest } from '../lib/example-request.js';
import { isObject, type JsonObject, mapLeaves } from '../lib/json.js';

/** A validated request. */
export interface MockRequest {
  id: string;
  /** Whether it creates a resource. */
  creates: boolean;
  path: Record<string, string>;
  query: JsonObject;
  body: JsonObject;
}

export function reflect(
  answer: JsonObject,
  request: MockRequest,
  example: ExampleRequest,
): JsonObject {
  const named = withNames(answer, request, example);
  const { data } = named;
  if (Array.isArray(data)) return pageOf(data.filter(isObject), request);
  if (!isObject(data)) return named;
  if (Array.isArray(data['values'])) {
    return { ...named, data: seriesOf(data['values'].filter(isObject), request) };
  }
  return { ...named, data: withFields(data, request, example) };
}

/** The prefix of an id, such as `agent` of `agent_01m3v7me00f8c8623ebffsvy4c`. */
export function idPrefix(value: unknown): string | undefined {
  return typeof value === 'string' ? /^([a-z]+)_[0-7][0-9a-z]{25}$/.exec(value)?.[1] : undefined;
}

export function isTime(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);
}

/** Replaces the agent, version and other names of the example request by those of this request. */
export function withNames(
  answer: JsonObject,
  { path, body }: Pick<MockRequest, 'path' | 'body'>,
  example: ExampleRequest,
): JsonObject {
  const names = new Map<unknown, string>();
  const given = { ...body, ...path };
  const inBody = isObject(example.body) ? Object.entries(example.body) : [];
  const inPath = example.path.map(({ name, value }): [string, unknown] => [name, value]);
  for (const [name, usual] of [...inBody, ...inPath]) {
    const value = given[name];
    if (typeof value === 'string' && idPrefix(value) === idPrefix(usual)) names.set(usual, value);
  }
  return mapLeaves(answer, (leaf) => {
    if (typeof leaf !== 'string') return leaf;
    const inQuotes = (quoted: string, name: string) =>
      names.has(name) ? `'${names.get(name)}'` : quoted;
    return names.get(leaf) ?? leaf.replaceAll(/'([^']*)'/g, inQuotes);
  });
}

/** Sets the fields of the body. For a new resource, fields that the body omits are null. */
function withFields(
  data: JsonObject,
  { id, creates, body }: MockRequest,
  example: ExampleRequest,
): JsonObject {
  const settable = creates && isObject(example.body) ? Object.keys(example.body) : [];
  const unset = Object.fromEntries(settable.map((name) => [name, null]));
  const given = Object.entries({ ...unset, ...body }).filter(([name]) => name in data);
  return {
    ...data,
    ...Object.fromEntries(given.map(([name, value]) => [name, asShown(value, data[name])])),
    ...('request_id' in data ? { request_id: id } : {}),
  };
}

/** The service returns times in one format, and agents by id. */
function asShown(value: unknown, usual: unknown): unknown {
  if (isTime(usual) && typeof value === 'string') return new Date(value).toISOString();
  const isName = idPrefix(usual) !== undefined && typeof value === 'string' && !idPrefix(value);
  return isName ? usual : value;
}

/** Returns the requested page: filtered, sorted and limited. */
function pageOf(items: JsonObject[], { query, body }: MockRequest): JsonObject {
  const { limit, offset, sort, filter, ...fields } = { ...query, ...body };
  const range = rangeOf(query, { from: () => -Infinity, to: Infinity });
  const wanted = Object.entries({ ...fields, ...(isObject(filter) ? filter : {}) });
  const fitted = items.map((item) => wanted.reduce(withField, withTimeIn(range, item)));
  const matching = items.filter((item, index) => isDeepStrictEqual(item, fitted[index]));
  // An empty list would not show the fields of its items.
  const found = matching.length === 0 ? fitted.slice(0, 1) : matching;
  const page = { limit: Number(limit), offset: Number(offset ?? 0) };
  const data = sorted(found, sort).slice(page.offset, page.offset + page.limit);
  return { data, pagination: paginationOf(page, { items: data, total: found.length }) };
}

/** Makes the item match a filter on its own field, a field in its metadata, or an element of a list (`event` of `events`). */
function withField(item: JsonObject, [name, value]: [string, unknown]): JsonObject {
  const { metadata, [name]: own, [`${name}s`]: list } = item;
  if (Array.isArray(list)) return list.includes(value) ? item : { ...item, [`${name}s`]: [value] };
  if (isObject(metadata) && name in metadata) {
    return { ...item, metadata: { ...metadata, [name]: value } };
  }
  return own === undefined ? item : { ...item, [name]: asShown(value, own) };
}

function withTimeIn({ from, to }: { from: number; to: number }, item: JsonObject): JsonObject {
  const { timestamp } = item;
  if (!isTime(timestamp)) return item;
  const time = Math.max(from, Math.min(Date.parse(timestamp), to - 1));
  return { ...item, timestamp: new Date(time).toISOString() };
}

function sorted(items: JsonObject[], sort: unknown): JsonObject[] {
  if (typeof sort !== 'string') return items;
  const [, minus, field = ''] = /^(-?)(.*)$/.exec(sort) ?? [];
  const direction = minus ? -1 : 1;
  const compare = (one: unknown, other: unknown) => String(one).localeCompare(String(other));
  return items.toSorted((one, other) => direction * compare(one[field], other[field]));
}

const dayMs = 86_400_000;

/** Converts the milliseconds of the example to plausible values of each metric. Token counts are integers. */
const fromMs: Record<MetricName, (ms: number) => number> = {
  response_time: (ms) => ms,
  throughput: (ms) => ms / 100,
  error_rate: (ms) => ms / 500,
  token_usage: (ms) => Math.round(ms * 10),
};

/** Repeats the values of the example over the requested buckets; without a range, over those of the example. */
function seriesOf(points: JsonObject[], request: MockRequest): JsonObject {
  // Validated against the contract.
  const query = request.query as unknown as Query<'getMetrics'>;
  const times = points.map(({ timestamp }) => Date.parse(String(timestamp)));
  const isOpen = query.start_time === undefined && query.end_time === undefined;
  const range = rangeOf(
    query,
    isOpen
      ? { from: () => Math.min(...times), to: Math.max(...times) + 1 }
      : { from: (end) => end - dayMs, to: Date.now() },
  );
  const valueAt = (index: number) => Number(points[index % points.length]?.['value'] ?? 0);
  const buckets = bucketStarts(range, query.granularity).map((start, index): [number, number] => [
    start,
    fromMs[query.metric](valueAt(index)),
  ]);
  return { ...presentSeries(query.metric, new Map(buckets)) };
}
