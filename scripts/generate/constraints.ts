/** Generates the enumerations, limits and error messages of the contract's schemas as values for use at run time. */

import { closeAnswers } from '../lib/closed-contract.js';
import { follow, isObject, type JsonObject } from '../lib/json.js';
import { plural } from '../lib/terminal.js';
import { header, type Step } from './step.js';

export const constraints: Step = {
  name: 'constraints',
  outputs: ['constraints.ts'],
  waitsForContract: true,
  async make(inputs) {
    const contract = await inputs.contract();
    const schemas = follow(closeAnswers(contract), { $ref: '#/components/schemas' });
    const constrained = constraintsOfEach(isObject(schemas) ? schemas : {});
    return {
      summary: plural(Object.keys(constrained).length, 'schema'),
      files: { 'constraints.ts': source(constrained, errorMessagesIn(contract)) },
    };
  },
};

const keywords = [
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
];

/** The constraints of a schema and of its properties. Schemas that a property refers to have their own entry. */
function constraintsOf(schema: unknown): JsonObject {
  if (!isObject(schema)) return {};
  const own = Object.entries(schema).filter(([keyword]) => keywords.includes(keyword));
  const properties = constraintsOfEach(isObject(schema['properties']) ? schema['properties'] : {});
  const hasProperties = Object.keys(properties).length > 0;
  return { ...Object.fromEntries(own), ...(hasProperties ? { properties } : {}) };
}

function constraintsOfEach(schemas: JsonObject): JsonObject {
  const constrained = Object.entries(schemas)
    .map(([name, schema]) => [name, constraintsOf(schema)] as const)
    .filter(([, found]) => Object.keys(found).length > 0);
  return Object.fromEntries(constrained);
}

interface ErrorMessages {
  pattern: Record<string, string>;
  format: Record<string, string>;
}

/** The error messages for values that do not match, by pattern and by format. */
function errorMessagesIn(
  node: unknown,
  found: ErrorMessages = { pattern: {}, format: {} },
): ErrorMessages {
  if (typeof node !== 'object' || node === null) return found;
  const { 'x-error-message': message, pattern, format } = node as JsonObject;
  if (typeof message === 'string') {
    if (typeof pattern === 'string') found.pattern[pattern] = message;
    if (typeof format === 'string') found.format[format] = message;
  }
  for (const inner of Object.values(node)) errorMessagesIn(inner, found);
  return found;
}

function source(constrained: JsonObject, messages: ErrorMessages): string {
  return `// ${header}

/** The constraints of the contract's schemas as JSON Schema keywords, by the name of the schema. */
export const constraints = ${JSON.stringify(constrained, null, 4)} as const;

/** The error messages for values that do not match a pattern or format. */
export const errorMessages: Record<'pattern' | 'format', Record<string, string>> = ${JSON.stringify(messages, null, 4)};
`;
}
