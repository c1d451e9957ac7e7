/** Closes the schemas of answers: published, they are open for growth, but a test refuses fields that nobody documented. */
import { follow, isObject, isReference, type JsonObject } from '../../scripts/lib/json.js';

/**
 * A copy with every reference followed, in which each object takes only the fields that are named, unless it says that it
 * takes others. Members of `allOf` stay open, since what they do not know may be known to their neighbours.
 */
export function closedSchema(document: unknown, schema: unknown, isPart = false): unknown {
  if (isReference(schema)) {
    const { $ref, ...beside } = schema;
    const target = closedSchema(document, follow(document, { $ref }), isPart);
    return isObject(target) ? { ...target, ...beside } : target;
  }
  if (!isObject(schema)) return schema;
  const copy: JsonObject = { ...schema };
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties' && isObject(value)) {
      copy[key] = Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, closedSchema(document, member)]),
      );
    } else if (['items', 'contentSchema'].includes(key)) {
      copy[key] = closedSchema(document, value);
    } else if (['allOf', 'oneOf', 'anyOf'].includes(key) && Array.isArray(value)) {
      copy[key] = value.map((member) => closedSchema(document, member, key === 'allOf' || isPart));
    }
  }
  const isObjectSchema = schema['type'] === 'object' || isObject(schema['properties']);
  const isOpen = isPart || schema['additionalProperties'] !== undefined;
  const hasParts = Array.isArray(schema['allOf']);
  if ((isObjectSchema || hasParts) && !isOpen) copy['unevaluatedProperties'] = false;
  return copy;
}
