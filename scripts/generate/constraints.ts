/** Writes the enumerations and limits of the contract's schemas as values, for code that needs them at run time. */

import { closeAnswers } from '../lib/closed-contract.js';
import { follow, isObject, type JsonObject } from '../lib/json.js';
import { plural } from '../lib/terminal.js';
import { header, type Step } from './step.js';

export const constraints: Step = {
  name: 'constraints',
  outputs: ['constraints.ts'],
  waitsForContract: true,
  async make(inputs) {
    const schemas = follow(closeAnswers(await inputs.contract()), { $ref: '#/components/schemas' });
    const constrained = constraintsOfEach(isObject(schemas) ? schemas : {});
    return {
      summary: plural(Object.keys(constrained).length, 'schema'),
      files: { 'constraints.ts': source(constrained) },
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

/** The constraints of a schema and of its properties. What a property refers to has an entry of its own. */
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

function source(constrained: JsonObject): string {
  return `// ${header}

/** The constraints that the contract puts on its schemas, by the name of the schema, in the words of JSON Schema. */
export const constraints = ${JSON.stringify(constrained, null, 4)} as const;
`;
}
