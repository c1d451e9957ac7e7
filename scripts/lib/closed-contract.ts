/**
 * Answers are open in the published contract, so that clients survive a field or a value that is added later. The service
 * of this version sends no other than those it names: its types, its documentation and its tests say so.
 */

import { isObject, type JsonObject, mapDeep, omit } from './json.js';

/** A copy in which answers have the fields and the values that the contract names, and no others. */
export function closeAnswers<Document>(contract: Document): Document {
  return mapDeep(contract, (node) => (isObject(node) ? closedSchema(node) : node)) as Document;
}

function closedSchema(schema: JsonObject): JsonObject {
  const values = schema['x-extensible-enum'];
  if (Array.isArray(values)) {
    return { ...omit(schema, 'x-extensible-enum', 'pattern', 'maxLength'), enum: values };
  }
  // An object with names of the caller's choice has a limit on their number, an answer that may grow has none.
  if (schema['additionalProperties'] === true && schema['maxProperties'] === undefined) {
    return { ...schema, additionalProperties: false };
  }
  const excluded = schema['type'] === 'boolean' && isObject(schema['not']) && schema['not'];
  // Not `const` in the contract itself: generators make it an enumeration of strings.
  return excluded ? { ...omit(schema, 'not'), const: excluded['const'] === false } : schema;
}
