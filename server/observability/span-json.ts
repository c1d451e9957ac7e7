/** Spans in the JSON of OTLP, written straight: the serializer of the SDK builds each of them as an object first. */
import type { Attributes } from '@opentelemetry/api';
import type { RecordedSpan } from './recorded-span.js';
import type { SpanBatch } from './span-queue.js';

/** Returns what opens a batch, whose spans are bytes from their end on: the collector of garbage has nothing to do with them. */
export function jsonBatches(resource: Attributes, scope: string): () => SpanBatch<RecordedSpan> {
  const opening =
    `{"resourceSpans":[{"resource":{"attributes":[${attributesToJson(resource)}]},` +
    `"scopeSpans":[{"scope":{"name":${JSON.stringify(scope)}},"spans":[`;
  const closing = ']}]}]}';
  let roomForBatch = 65_536;

  return () => {
    let bytes = Buffer.allocUnsafe(roomForBatch);
    let length = 0;
    let separator = opening;
    const write = (text: string) => {
      const mostBytes = text.length * 3;
      if (length + mostBytes > bytes.length) {
        roomForBatch = 2 * (length + mostBytes);
        bytes = Buffer.concat([bytes.subarray(0, length)], roomForBatch);
      }
      length += bytes.write(text, length);
    };
    return {
      add: (span) => {
        write(separator + spanToJson(span));
        separator = ',';
      },
      encode: () => {
        write(closing);
        return bytes.subarray(0, length);
      },
    };
  };
}

function spanToJson(span: RecordedSpan): string {
  const { traceId, spanId, traceState } = span.spanContext();
  const state = traceState?.serialize() ?? '';
  const parent = span.parentSpanContext?.spanId;
  return (
    `{"traceId":"${traceId}","spanId":"${spanId}",` +
    (parent === undefined ? '' : `"parentSpanId":"${parent}",`) +
    (state === '' ? '' : `"traceState":${JSON.stringify(state)},`) +
    // The numbers of kinds are those of the API, plus one.
    `"name":${JSON.stringify(span.name)},"kind":${span.kind + 1},` +
    `"startTimeUnixNano":"${nanoseconds(span.startMs)}","endTimeUnixNano":"${nanoseconds(span.endMs)}",` +
    `"attributes":[${allAttributesToJson(span)}],"status":{"code":${span.status.code}}}`
  );
}

/** A million more, and its first digit cut off: the rest has as many digits as it must. */
function nanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  return `${whole}${String(1_000_000 + Math.floor((ms - whole) * 1e6)).slice(1)}`;
}

/** The names of attributes are few and always the same. */
const keys = new Map<string, string>();

function keyToJson(key: string): string {
  const known = keys.get(key);
  if (known !== undefined) return known;
  const text = `{"key":${JSON.stringify(key)},"value":`;
  keys.set(key, text);
  return text;
}

const sharedJson = new WeakMap<Attributes, string>();

function sharedToJson(attributes: Attributes): string {
  const known = sharedJson.get(attributes);
  if (known !== undefined) return known;
  const text = attributesToJson(attributes);
  sharedJson.set(attributes, text);
  return text;
}

function allAttributesToJson({ shared, own }: RecordedSpan): string {
  let text = attributesToJson(own);
  for (const attributes of shared) {
    if (text !== '') text += ',';
    text += sharedToJson(attributes);
  }
  return text;
}

function attributesToJson(attributes: Attributes): string {
  let text = '';
  for (const key in attributes) {
    const value = attributes[key];
    if (value === undefined) continue;
    if (text !== '') text += ',';
    text += keyToJson(key);
    text += valueToJson(value);
    text += '}';
  }
  return text;
}

function valueToJson(value: unknown): string {
  if (typeof value === 'string') return `{"stringValue":${JSON.stringify(value)}}`;
  if (typeof value === 'boolean') return `{"boolValue":${value}}`;
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? `{"intValue":${value}}` : `{"doubleValue":${value}}`;
  }
  const items = Array.isArray(value) ? value.map(valueToJson) : [];
  return `{"arrayValue":{"values":[${items.join(',')}]}}`;
}
