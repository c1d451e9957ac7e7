/** Helpers for parsed JSON of unknown shape. */

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isReference(value: unknown): value is { $ref: string } {
  return isObject(value) && typeof value['$ref'] === 'string';
}

/** A copy with the change applied to every object and array, innermost first. */
export function mapDeep(value: unknown, change: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return change(value.map((item) => mapDeep(item, change)));
  if (!isObject(value)) return value;
  const copy = Object.entries(value).map(([key, member]) => [key, mapDeep(member, change)]);
  return change(Object.fromEntries(copy));
}

/** A copy with the change applied to every value that is neither an object nor an array, with its key in the nearest object. */
export function mapLeaves(
  object: JsonObject,
  change: (leaf: unknown, key: string) => unknown,
): JsonObject {
  const changed = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => changed(item, key));
    return isObject(value) ? mapLeaves(value, change) : change(value, key);
  };
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, changed(value, key)]),
  );
}

export function omit(object: JsonObject, ...keys: string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

/** Resolves a reference within its document; returns any other value as it is. */
export function follow(document: unknown, value: unknown): unknown {
  if (!isReference(value)) return value;
  const keys = value.$ref
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const target = keys.reduce<unknown>(
    (node, key) => (isObject(node) ? node[key] : undefined),
    document,
  );
  return follow(document, target);
}

/** Like `follow`, but returns an empty object if the target is not an object. */
export function followObject(document: unknown, value: unknown): JsonObject {
  const target = follow(document, value);
  return isObject(target) ? target : {};
}
