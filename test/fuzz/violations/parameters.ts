/** Every way to violate the parameters of a request: each keyword of their schemas, repetition and unknown names. */
import fc from 'fast-check';
import { invalidValuesOf } from '../invalid-values.js';
import type { Operation, Parameter } from '../contract.js';
import { removed, withParameter } from '../edit.js';
import { atLeast, shapeOf, typesOf } from '../schema.js';
import type { Template } from '../template.js';
import type { Violation } from './violation.js';

export function parameterViolations(parameter: Parameter): Violation[] {
  const { name, isRequired, pointer } = parameter;
  const shape = shapeOf(parameter.schema);
  const isNumber = typesOf(shape).has('integer') || typesOf(shape).has('number');
  const base = { status: 400, field: name };
  const set = (template: Template, value: unknown): Template =>
    withParameter(template, parameter, value);
  const own = invalidValuesOf(shape).flatMap(({ keyword, values, ...invalid }): Violation[] => {
    const texts = values.map(String);
    if (keyword === 'type' || !isPossible(parameter, texts)) return [];
    return [
      {
        ...base,
        name: `${parameter.in} ${name}: ${keyword}`,
        pointer: invalid.pointer,
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

/** A parameter with a single value accepts neither a list nor an object. */
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

/** Notations that JSON does not accept as an integer, and some languages do. */
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

export function unknownParameters({ pointer, parameters }: Operation): Violation[] {
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

/** Whether the text can be sent as a header, or as one path segment. */
function canSend({ in: where, schema }: Parameter, text: string): boolean {
  if (where === 'query') return text.isWellFormed();
  if (where === 'path') return text.isWellFormed() && !['', '.', '..'].includes(text);
  const isLegal = /^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(text) && text.trim() === text;
  return isLegal && (text !== '' || atLeast(shapeOf(schema), 'minLength', 0) > 0);
}

/** Some keywords cannot be violated in a header or path, because the text cannot be sent. */
function isPossible(parameter: Parameter, values: fc.Arbitrary<string>): boolean {
  if (parameter.in === 'query') return true;
  return fc.sample(values, { numRuns: 30, seed: 1 }).some((text) => canSend(parameter, text));
}
