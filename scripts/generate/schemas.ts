/** Writes what TypeScript types cannot carry: the values of the contract's enumerations and the upper bounds of its schemas. */

import { isObject, type JsonObject } from '../lib/json.js';
import { plural } from '../lib/terminal.js';
import { header, type Step } from './step.js';

export const schemas: Step = {
  name: 'schemas',
  outputs: ['schemas.ts'],
  waitsForContract: true,
  async make(inputs) {
    const { components } = await inputs.contract();
    const enums = collect(components?.schemas ?? {}, ({ enum: values }) => values);
    const limits = collect(
      components?.schemas ?? {},
      ({ maxLength, maxItems, maximum }) => maxLength ?? maxItems ?? maximum,
    );
    return {
      summary: `${plural(enums.length, 'enum')}, ${plural(limits.length, 'limit')}`,
      files: { 'schemas.ts': source(enums, limits) },
    };
  },
};

type Entry = [name: string, value: unknown];

/** The value of each schema that has one; otherwise an object of the values of its properties. */
function collect(named: object, valueOf: (schema: JsonObject) => unknown): Entry[] {
  return Object.entries(named).flatMap(([name, schema]: Entry): Entry[] => {
    if (!isObject(schema)) return [];
    const value = valueOf(schema);
    if (value !== undefined) return [[name, value]];
    const properties = isObject(schema['properties']) ? schema['properties'] : {};
    const inner = collect(properties, valueOf);
    return inner.length === 0 ? [] : [[name, Object.fromEntries(inner)]];
  });
}

function source(enums: Entry[], limits: Entry[]): string {
  return `// ${header}

/** The values of every enumeration, by schema and property. */
export const enums = ${literal(enums)} as const;

/** The largest length, number of items or number that a schema accepts, by schema and property. */
export const limits = ${literal(limits)} as const;
`;
}

function literal(entries: Entry[]): string {
  const lines = entries.map(([name, value]) => `    ${name}: ${inline(value)},`);
  return ['{', ...lines, '}'].join('\n');
}

function inline(value: unknown): string {
  if (!isObject(value)) return JSON.stringify(value).replaceAll(',', ', ');
  const members = Object.entries(value).map(([name, inner]) => `${name}: ${inline(inner)}`);
  return `{ ${members.join(', ')} }`;
}
