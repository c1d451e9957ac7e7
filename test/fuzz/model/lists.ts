/** The model of lists: filter, order, page and total. */
import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../../../scripts/lib/json.js';
import type { Answer } from '../http.js';
import { assertMatches, formatted } from '../mismatch.js';
import type { Call } from './state.js';

export interface ListModel {
  /** All matching items, in any order. */
  matching: (JsonObject & { id: string })[];
  /** The sortable fields that the model knows. */
  sortable: readonly string[];
}

export function checkList(call: Call, answer: Answer, { matching, sortable }: ListModel): void {
  const { pointer } = call.request.operation;
  const items = checkPage(call, answer);
  const { total, offset, limit } = paginationOf(answer);
  assertMatches(
    total === matching.length,
    pointer,
    () => `The list has ${matching.length} items that match, but total is ${String(total)}`,
  );
  for (const item of items) {
    const known = matching.find(({ id }) => id === item['id']);
    assertMatches(
      known !== undefined,
      pointer,
      () => `The list holds what should not be in it: ${formatted(item)}`,
    );
    checkFields(call, item, known);
  }
  const sort = String(call.request.query['sort'] ?? defaultOf(call, 'sort'));
  const field = sort.replace(/^-/, '');
  if (!sortable.includes(field)) return;
  const ordered = [...matching].sort(
    (one, other) => compare(one[field], other[field]) || compare(one.id, other.id),
  );
  const expected = (sort.startsWith('-') ? ordered.reverse() : ordered).slice(
    offset,
    offset + limit,
  );
  const ids = items.map((item) => item['id']);
  assertMatches(
    isDeepStrictEqual(
      ids,
      expected.map(({ id }) => id),
    ),
    pointer,
    () =>
      `By ${sort}, from ${offset}, the page is ${formatted(expected.map(({ id }) => id))}, but it was ${formatted(ids)}`,
  );
}

/** Checks that apply to every page. */
export function checkPage(call: Call, answer: Answer): JsonObject[] {
  const { pointer } = call.request.operation;
  const items =
    isObject(answer.body) && Array.isArray(answer.body['data'])
      ? (answer.body['data'] as JsonObject[])
      : [];
  const pagination = paginationOf(answer);
  const { limit, offset, total } = pagination;
  const asked = {
    limit: Number(askedFor(call, 'limit')),
    offset: Number(askedFor(call, 'offset') ?? 0),
  };
  assertMatches(
    limit === asked.limit && offset === asked.offset,
    pointer,
    () =>
      `The page ${formatted(asked)} was asked for, but pagination says ${formatted(pagination)}`,
  );
  const expected = Math.max(0, Math.min(limit, total - offset));
  assertMatches(
    items.length === expected,
    pointer,
    () => `The page should hold ${expected} items, but holds ${items.length}`,
  );
  assertMatches(
    pagination.has_more === offset + items.length < total,
    pointer,
    () =>
      `has_more is ${String(pagination.has_more)}, but ${offset + items.length} of ${total} are before its end`,
  );
  const ids = items.map((item) => item['id']);
  assertMatches(
    new Set(ids).size === ids.length,
    pointer,
    () => `The page holds an item twice: ${formatted(ids)}`,
  );
  return items;
}

/** Compares every field that the model knows. */
export function checkFields({ request }: Call, actual: unknown, expected: JsonObject): void {
  const { pointer } = request.operation;
  const found = isObject(actual) ? actual : {};
  for (const [name, value] of Object.entries(expected)) {
    if (!(name in found)) continue;
    assertMatches(
      isDeepStrictEqual(found[name], value),
      pointer,
      () => `${name} should be ${formatted(value)}, but is ${formatted(found[name])}`,
    );
  }
}

interface Window {
  limit: number;
  offset: number;
  total: number;
  has_more: boolean;
}

function paginationOf({ body }: Answer): Window {
  // The contract check has validated this type.
  return (body as { pagination: Window }).pagination;
}

function askedFor(call: Call, name: string): unknown {
  const { query, body } = call.request;
  return query[name] ?? (isObject(body) ? body[name] : undefined) ?? defaultOf(call, name);
}

/** The default of a query parameter, or of a field of the body. */
function defaultOf({ request: { operation } }: Call, name: string): unknown {
  const parameter = operation.parameters.find((candidate) => candidate.name === name);
  if (parameter) return parameter.schema.node['default'];
  const properties = operation.body?.node['properties'];
  const field = isObject(properties) ? properties[name] : undefined;
  return isObject(field) ? field['default'] : undefined;
}

/** Compares by UTF-8 bytes. */
function compare(one: unknown, other: unknown): number {
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
}
