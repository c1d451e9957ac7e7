/** Every way to break a request to an operation: each keyword of its body and parameters, and what HTTP itself asks for. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type Break, breaksOf } from './breaks.js';
import type { Operation, Parameter } from './contract.js';
import { atLeast, type Shape, shapeOf, typesOf } from './schema.js';
import { put, removed, withParameter } from './edit.js';
import type { Template } from './template.js';

export interface Violation {
  /** Such as `body name: maxLength`. */
  name: string;
  pointer: string;
  /** The status of the refusal. */
  status: number;
  /** The field that the refusal names; undefined: the whole is at fault, and no field. */
  field?: string;
  values: fc.Arbitrary<unknown>;
  apply: (template: Template, value: unknown) => Template;
  /** One case is enough: there is nothing to vary. */
  isSingle?: boolean;
}

export function violationsOf(operation: Operation): Violation[] {
  return [
    ...operation.parameters.flatMap(parameterViolations),
    ...unknownParameters(operation),
    ...(operation.body ? bodyViolations(shapeOf(operation.body), operation) : []),
    notAllowed(operation),
    ...strangers(operation),
  ];
}

function bodyViolations(shape: Shape, { pointer }: Operation): Violation[] {
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
    ...breaksOf(shape).map(bodyViolation),
    ...unstorable(shape).map(bodyViolation),
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
    {
      name: 'body: not UTF-8',
      pointer: content,
      status: 400,
      ...asRaw(Buffer.from([0x22, 0xff, 0x22])),
    },
  ];
}

function bodyViolation({ keyword, pointer, path, values }: Break): Violation {
  return {
    name: `body ${path.join('.')}: ${keyword}`,
    pointer,
    status: 400,
    field: path.join('.') || 'body',
    values,
    apply: (template, value) => ({ ...template, body: put(template.body, path, value) }),
  };
}

/** What every text refuses, whatever its schema says: NUL, and half of a pair of surrogates. */
function unstorable(shape: Shape, path: Break['path'] = []): Break[] {
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

function parameterViolations(parameter: Parameter): Violation[] {
  const { name, isRequired, pointer } = parameter;
  const shape = shapeOf(parameter.schema);
  const isNumber = typesOf(shape).has('integer') || typesOf(shape).has('number');
  const base = { status: 400, field: name };
  const set = (template: Template, value: unknown): Template =>
    withParameter(template, parameter, value);
  const own = breaksOf(shape).flatMap(({ keyword, values, ...broken }): Violation[] => {
    const texts = values.map(String);
    if (keyword === 'type' || !isPossible(parameter, texts)) return [];
    return [
      {
        ...base,
        name: `${parameter.in} ${name}: ${keyword}`,
        pointer: broken.pointer,
        values: texts.filter((text) => canSend(parameter, text)),
        apply: set,
      },
    ];
  });
  return [
    ...own,
    ...(isNumber ? notNumbers(parameter, set) : []),
    ...(isRequired && parameter.in === 'query'
      ? [
          {
            ...base,
            name: `query ${name}: required`,
            pointer: `${pointer}/required`,
            values: fc.constant(removed),
            apply: set,
            isSingle: true,
          },
        ]
      : []),
    ...(parameter.in === 'query' ? severalValues(parameter) : []),
  ];
}

/** A parameter that is one value takes neither a list nor an object. */
function severalValues(parameter: Parameter): Violation[] {
  const { name, pointer } = parameter;
  const base = { status: 400, pointer: `${pointer}/schema/type`, isSingle: true };
  const add = (added: (value: unknown) => [string, unknown][]) => (template: Template) => {
    const present = template.query.find(([known]) => known === name)?.[1] ?? 'x';
    const others = template.query.filter(([known]) => known !== name);
    return { ...template, query: [...others, ...added(present)] };
  };
  return [
    {
      ...base,
      field: name,
      name: `query ${name}: twice`,
      values: fc.constant('twice'),
      apply: add((value) => [
        [name, value],
        [name, value],
      ]),
    },
    {
      ...base,
      name: `query ${name}: as a list`,
      values: fc.constant('list'),
      apply: add((value) => [[`${name}[]`, value]]),
    },
    {
      ...base,
      name: `query ${name}: as an object`,
      values: fc.constant('object'),
      apply: add((value) => [[`${name}[x]`, value]]),
    },
    {
      ...base,
      name: `query ${name}: as a prototype`,
      values: fc.constant('prototype'),
      apply: add((value) => [[`${name}[__proto__]`, value]]),
    },
  ];
}

/** What JSON would not take for an integer, and what only some languages do. */
const notNumeric = [
  '',
  'x',
  '1.5',
  '1,5',
  '1_0',
  'NaN',
  'Infinity',
  '1e999',
  'null',
  'true',
  '--1',
  '[1]',
  '٣',
];
const otherNotations = ['0x10', '0b1', '0o7', '1e1', ' 5', '5 ', '+5'];

function notNumbers(parameter: Parameter, apply: Violation['apply']): Violation[] {
  const kinds = { type: notNumeric, 'type, in another notation': otherNotations };
  return Object.entries(kinds).map(([keyword, texts]) => ({
    name: `${parameter.in} ${parameter.name}: ${keyword}`,
    pointer: `${parameter.pointer}/schema/type`,
    status: 400,
    field: parameter.name,
    values: fc.constantFrom(...texts),
    apply,
  }));
}

function unknownParameters({ pointer, parameters }: Operation): Violation[] {
  const queries = parameters.filter((parameter) => parameter.in === 'query');
  const names = [
    'unknown',
    'constructor',
    '__proto__',
    ...queries.map(({ name }) => name.toUpperCase()),
  ];
  return names.map((name) => ({
    name: `query ${name}: not a parameter`,
    pointer: `${pointer}/parameters`,
    status: 400,
    field: name,
    values: fc.constant(1),
    apply: (template) => ({ ...template, query: [...template.query, [name, '1']] }),
    isSingle: true,
  }));
}

function notAllowed({ pointer }: Operation): Violation {
  const path = pointer.slice(0, pointer.lastIndexOf('/'));
  return {
    name: 'another method',
    pointer: path,
    status: 405,
    values: fc.constantFrom('PUT', 'TRACE', 'PROPFIND'),
    apply: (template, method) => ({ ...template, method: String(method) }),
  };
}

/** Who may not do it: nobody, and keys that do not work or do not suffice. */
function strangers({ pointer }: Operation): Violation[] {
  const statuses = { none: 401, unknown: 401, revoked: 401, unpermitted: 403 } as const;
  const callers = ['none', 'unknown', 'revoked', 'unpermitted'] as const;
  return callers.map((caller) => ({
    name: `key: ${caller}`,
    pointer: `${pointer}/security`,
    status: statuses[caller],
    values: fc.constant(caller),
    apply: (template) => ({ ...template, caller }),
    isSingle: true,
  }));
}

/** What can be written as a header, or as one segment of a path. */
function canSend({ in: where, schema }: Parameter, text: string): boolean {
  if (where === 'query') return text.isWellFormed();
  if (where === 'path') return text.isWellFormed() && !['', '.', '..'].includes(text);
  const isLegal = /^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(text) && text.trim() === text;
  return isLegal && (text !== '' || atLeast(shapeOf(schema), 'minLength', 0) > 0);
}

/** Some keywords cannot be broken in a header or path: the text that would do it cannot be sent. */
function isPossible(parameter: Parameter, values: fc.Arbitrary<string>): boolean {
  if (parameter.in === 'query') return true;
  return fc.sample(values, { numRuns: 30, seed: 1 }).some((text) => canSend(parameter, text));
}
