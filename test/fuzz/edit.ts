/** Sets or removes a value in a request, in a parameter or at a position in its body. */
import { isObject } from '../../scripts/lib/json.js';
import type { Parameter } from './contract.js';
import type { Template } from './template.js';

/** Marks a value for removal. */
export const removed = Symbol('removed');

export function withParameter(
  template: Template,
  { in: where, name }: Parameter,
  value: unknown,
): Template {
  if (where === 'path') return { ...template, path: { ...template.path, [name]: value } };
  if (where === 'header')
    return { ...template, headers: { ...template.headers, [name]: String(value) } };
  const others = template.query.filter(([known]) => known !== name);
  return { ...template, query: value === removed ? others : [...others, [name, value]] };
}

/** A copy with the value at the path; missing parents are created. */
export function put(whole: unknown, path: (string | number)[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (typeof key === 'number') {
    const items = Array.isArray(whole) ? [...(whole as unknown[])] : [];
    items[key] = put(items[key], rest, value);
    return items;
  }
  const entries = Object.entries(isObject(whole) ? whole : {}).filter(([name]) => name !== key);
  const inner = put(
    isObject(whole) && Object.hasOwn(whole, key) ? whole[key] : undefined,
    rest,
    value,
  );
  return Object.fromEntries(inner === removed ? entries : [...entries, [key, inner]]);
}
