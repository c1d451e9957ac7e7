/**
 * In the published contract, responses may have additional fields and values, so that clients keep working when some are added.
 * This version of the service sends only those in the contract, so its types, documentation and tests use a closed copy.
 */

import { isObject, type JsonObject, mapDeep, omit } from './json.js';

/** Returns a copy in which responses have only the fields and values that the contract names. */
export function closeAnswers<Document>(contract: Document): Document {
  return mapDeep(contract, (node) => (isObject(node) ? closedSchema(node) : node)) as Document;
}

function closedSchema(schema: JsonObject): JsonObject {
  const values = schema['x-extensible-enum'];
  if (Array.isArray(values)) {
    return { ...omit(schema, 'x-extensible-enum', 'pattern', 'maxLength'), enum: values };
  }
  // Only objects with names chosen by the caller have maxProperties.
  if (schema['additionalProperties'] === true && schema['maxProperties'] === undefined) {
    return { ...schema, additionalProperties: false };
  }
  const excluded = schema['type'] === 'boolean' && isObject(schema['not']) && schema['not'];
  // The contract itself does not use `const`, since generators turn it into an enumeration of strings.
  return excluded ? { ...omit(schema, 'not'), const: excluded['const'] === false } : schema;
}
