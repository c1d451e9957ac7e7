/** Every way to violate the body of a request: each keyword of its schema, and malformed JSON. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type InvalidValue, invalidValuesOf } from '../invalid-values.js';
import type { Operation } from '../contract.js';
import { put } from '../edit.js';
import { isObject } from '../../../scripts/lib/json.js';
import { type Shape, valuesOf } from '../schema.js';
import { minimal, type Template } from '../template.js';
import { valueOf } from '../values.js';
import type { Violation } from './violation.js';

export function bodyViolations(shape: Shape, { pointer }: Operation): Violation[] {
  const content = `${pointer}/requestBody/content`;
  const asRaw = (raw: string | Buffer, headers: Record<string, string> = {}) => ({
    values: fc.constant(raw),
    apply: (template: Template) => ({
      ...template,
      raw,
      headers: { ...template.headers, ...headers },
    }),
    isSingle: true,
  });
  return [
    ...[...invalidValuesOf(shape), ...unstorable(shape)].map((one) => bodyViolation(shape, one)),
    { name: 'body: cut off', pointer: content, status: 400, ...asRaw('{"a":') },
    {
      name: 'body: of another type',
      pointer: content,
      status: 415,
      ...asRaw('a=b', { 'Content-Type': 'text/plain' }),
    },
    {
      name: 'body: too large',
      pointer: content,
      status: 413,
      ...asRaw(`{"a":"${'x'.repeat(1024 * 1024)}"}`),
    },
    {
      name: 'body: gzip that is cut off',
      pointer: content,
      status: 400,
      ...asRaw(gzipSync('{}').subarray(0, 12), { 'Content-Encoding': 'gzip' }),
    },
    ...notUtf8(shape, content),
  ];
}

/** A valid body with one invalid byte, in a text that would accept the replacement character. */
function notUtf8(shape: Shape, pointer: string): Violation[] {
  const fields = [...shape.required].filter((name) => {
    const inner = shape.properties.get(name);
    const patterns = inner ? valuesOf<string>(inner, 'pattern') : [];
    const takesIt = patterns.every((pattern) => new RegExp(pattern, 'u').test('\u{fffd}'));
    return inner?.type === 'string' && takesIt && valuesOf(inner, 'enum').length === 0;
  });
  return fields.map((field) => ({
    name: `body: ${field} is not UTF-8`,
    pointer,
    status: 400,
    values: fc.constant(field),
    apply: (template) => {
      const request = minimal(template);
      const [before = '', after = ''] = JSON.stringify(put(request.body, [field], '@@')).split(
        '@@',
      );
      return {
        ...request,
        raw: Buffer.concat([Buffer.from(before), Buffer.of(0xff), Buffer.from(after)]),
      };
    },
    isSingle: true,
  }));
}

function bodyViolation(shape: Shape, { keyword, pointer, path, values }: InvalidValue): Violation {
  return {
    name: `body ${path.join('.')}: ${keyword}`,
    pointer,
    status: 400,
    field: path.join('.') || 'body',
    values,
    apply: (template, value) => ({
      ...template,
      body: put(withParent(shape, template.body, path), path, value),
    }),
  };
}

/** Adds the optional object that the path leads into, whose required fields would be missing otherwise. */
function withParent(shape: Shape, body: unknown, [name, ...rest]: InvalidValue['path']): unknown {
  const parent = typeof name === 'string' ? shape.properties.get(name) : undefined;
  if (name === undefined || !parent || parent.required.size === 0 || rest.length === 0) return body;
  if (isObject(body) && Object.hasOwn(body, name)) return body;
  const [valid] = fc.sample(valueOf(parent), { numRuns: 1, seed: 1 });
  return put(body, [name], valid);
}

/** Rejected in every text, whatever its schema says: NUL and unpaired surrogates. */
function unstorable(shape: Shape, path: InvalidValue['path'] = []): InvalidValue[] {
  const own =
    shape.type === 'string' &&
    shape.keywords.every(({ name }) => !['pattern', 'format', 'enum'].includes(name))
      ? [
          {
            keyword: 'well-formed text',
            pointer: '#/info/description',
            path,
            values: fc.constantFrom('\0', 'a\0b', '\ud800', 'a\udc00b'),
          },
        ]
      : [];
  return [
    ...own,
    ...[...shape.properties].flatMap(([name, inner]) => unstorable(inner, [...path, name])),
  ];
}
