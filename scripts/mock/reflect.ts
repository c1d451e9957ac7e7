/** Makes an example of the contract the answer to a request: it is about what the request names, filters and asks for. */

import type { Query } from '../../generated/operations.js';
import { bucketStarts, presentSeries } from '../../server/domain/metrics.js';
import { rangeOf } from '../../server/domain/time-range.js';
import type { ExampleRequest } from '../lib/example-request.js';
import { isObject, type JsonObject, mapDeep, mapValues } from '../lib/json.js';
import { pageOf } from './list-page.js';
import { idPrefix, isTime } from './values.js';

/** A valid request, as an operation of the service would get it. */
export interface MockRequest {
  id: string;
  /** Whether it makes something new. */
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
  if (data['metric'] !== undefined) return { ...named, data: seriesOf(data, request) };
  return { ...named, data: withFields(data, request, example) };
}

/** The example is about the agent, version and so on of the example request; the answer about those of this one. */
export function withNames(
  answer: JsonObject,
  { path, body }: Pick<MockRequest, 'path' | 'body'>,
  example: ExampleRequest,
): JsonObject {
  const names = new Map<string, string>();
  const given = { ...body, ...path };
  const inBody = isObject(example.body) ? Object.entries(example.body) : [];
  const inPath = example.path.map(({ name, value }): [string, unknown] => [name, value]);
  for (const [name, usual] of [...inBody, ...inPath]) {
    const value = given[name];
    const isSameKind = idPrefix(value) === idPrefix(usual);
    if (typeof usual === 'string' && typeof value === 'string' && isSameKind)
      names.set(usual, value);
  }
  const rename = (text: string) =>
    names.get(text) ??
    text.replaceAll(/'([^']*)'/g, (quoted, name: string) =>
      names.has(name) ? `'${names.get(name)}'` : quoted,
    );
  return mapStrings(answer, rename);
}

function mapStrings(value: JsonObject, change: (text: string) => string): JsonObject {
  const changed = (member: unknown) => (typeof member === 'string' ? change(member) : member);
  return mapDeep(value, (node) => {
    if (Array.isArray(node)) return node.map(changed);
    return isObject(node) ? mapValues(node, changed) : node;
  }) as JsonObject;
}

/** What the body sets is so in the answer; of something new, what it leaves out is not set. The request has its own id. */
function withFields(
  data: JsonObject,
  { id, creates, body }: MockRequest,
  example: ExampleRequest,
): JsonObject {
  const unset = creates && isObject(example.body) ? mapValues(example.body, () => null) : {};
  const given = Object.entries({ ...unset, ...body }).filter(([name]) => name in data);
  return {
    ...data,
    ...Object.fromEntries(given.map(([name, value]) => [name, asShown(value, data[name])])),
    ...('request_id' in data ? { request_id: id } : {}),
  };
}

/** As the service shows what it is given: times in one form, and agents by their ids. */
function asShown(value: unknown, usual: unknown): unknown {
  if (isTime(usual) && typeof value === 'string') return new Date(value).toISOString();
  const isName = idPrefix(usual) !== undefined && typeof value === 'string' && !idPrefix(value);
  return isName ? usual : value;
}

const dayMs = 86_400_000;

/** Of what an example has in milliseconds. */
const scales = { response_time: 1, throughput: 0.01, error_rate: 0.002, token_usage: 10 };

/** The values of the example over the buckets that the request asks for; without a range, those of the example. */
function seriesOf({ values }: JsonObject, { query }: MockRequest): JsonObject {
  // Validated against the contract.
  const { metric, granularity, ...range } = query as unknown as Query<'getMetrics'>;
  const points = Array.isArray(values) ? values.filter(isObject) : [];
  const times = points.map(({ timestamp }) => Date.parse(String(timestamp)));
  const isOpen = range.start_time === undefined && range.end_time === undefined;
  const { from, to } = rangeOf(
    range,
    isOpen
      ? { from: () => Math.min(...times), to: Math.max(...times) + 1 }
      : { from: (end) => end - dayMs, to: Date.now() },
  );
  const valueAt = (index: number) => Number(points[index % points.length]?.['value'] ?? 0);
  const buckets = bucketStarts({ from, to }, granularity).map((start, index): [number, number] => [
    start,
    valueAt(index) * scales[metric],
  ]);
  return { ...presentSeries(metric, new Map(buckets)) };
}
