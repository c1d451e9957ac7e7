/** Spans in the JSON of OTLP, written straight: the serializer of the SDK builds each of them as an object first. */
import type { Attributes } from '@opentelemetry/api';
import type { RecordedSpan } from './recorded-span.js';

/** Each span is written when it ends: as an object it would live until it is sent, which costs the collector of garbage more. */
export function jsonFormat(resource: Attributes, scope: string) {
  const head = `{"resource":{"attributes":[${attributesToJson(resource)}]}`;
  const scopeJson = `{"scope":{"name":${JSON.stringify(scope)}},"spans":[`;
  return {
    contentType: 'application/json',
    keep: spanToJson,
    encode: (spans: string[]) =>
      `{"resourceSpans":[${head},"scopeSpans":[${scopeJson}${spans.join(',')}]}]}]}`,
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
    `"attributes":[${attributesToJson(span.attributes)}],"status":{"code":${span.status.code}}}`
  );
}

function nanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  return `${whole}${String(Math.floor((ms - whole) * 1e6)).padStart(6, '0')}`;
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
