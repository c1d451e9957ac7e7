/** Reads the contract in a rule: resolves references, and keeps the location of each value. */

/** @import { Context, Located, Location, MediaType, Operation, OperationVisit, Parameter, PathItem, Problem, Reference, Response, Schema } from './types.js' */

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * @param {unknown} value
 * @returns {value is Reference}
 */
function isReference(value) {
  return isObject(value) && typeof value['$ref'] === 'string';
}

/**
 * The value itself, or the target of its reference. Undefined for a broken reference, which Redocly's own rule
 * no-unresolved-refs reports.
 *
 * @template T
 * @param {Context} ctx
 * @param {T | Reference | undefined} value
 * @param {Location} location of the value, or of its reference
 * @returns {Located<T> | undefined}
 */
export function resolve(ctx, value, location) {
  if (value === undefined) return undefined;
  const target = ctx.resolve(value, location.source.absoluteRef);
  const resolvedLocation = isReference(value) ? target.location : location;
  return target.node === undefined || resolvedLocation === undefined
    ? undefined
    : { node: target.node, location: resolvedLocation };
}

/**
 * Every member of a map or a list, with references resolved.
 *
 * @template T
 * @param {Context} ctx
 * @param {Record<string, T | Reference | undefined> | (T | Reference)[] | undefined} container
 * @param {Location} location
 * @returns {(Located<T> & { key: string })[]}
 */
export function resolveMembers(ctx, container, location) {
  return Object.entries(container ?? {}).flatMap(([key, value]) => {
    const member = resolve(ctx, value, location.child([key]));
    return member === undefined ? [] : [{ ...member, key }];
  });
}

/**
 * A schema and every schema that is a part of it, each once.
 *
 * @param {Context} ctx
 * @param {Located<Schema>} schema
 * @param {Map<string, Located<Schema>>} found
 * @returns {Located<Schema>[]}
 */
export function schemasIn(ctx, schema, found = new Map()) {
  const { node, location } = schema;
  const address = `${location.source.absoluteRef}${location.pointer}`;
  if (found.has(address)) return [];
  found.set(address, schema);
  const { properties, items, oneOf, anyOf, allOf, contentSchema } = node;
  const single = { items, contentSchema };
  const parts = [
    ...resolveMembers(ctx, single, location),
    ...Object.entries({ properties, oneOf, anyOf, allOf }).flatMap(([keyword, members]) =>
      resolveMembers(ctx, members, location.child([keyword])),
    ),
  ];
  for (const part of parts) schemasIn(ctx, part, found);
  return [...found.values()];
}

/**
 * Whether a location is that of a named schema, in its own file or in the bundle.
 *
 * @param {Location} location
 * @param {string} name
 */
export function isSchema({ source, pointer }, name) {
  const address = `${source.absoluteRef}${pointer}`;
  return ['', '.yaml#/', '.yml#/'].some((suffix) => address.endsWith(`/${name}${suffix}`));
}

/**
 * A condition only tests another schema: it sets no limits, and generators create no type for it.
 *
 * @param {Context} ctx
 */
export function isCondition(ctx) {
  return /(?<!\/properties)\/(if|then|else|not)$/.test(ctx.location.pointer);
}

/**
 * Tracks whether the visitor is in a callback, which is under `paths` although the service sends it.
 */
export function trackCallbacks() {
  let depth = 0;
  return {
    isInside: () => depth > 0,
    visitor: {
      enter() {
        depth += 1;
      },
      leave() {
        depth -= 1;
      },
    },
  };
}

/**
 * A visitor that calls the check for each operation under `paths`, but not for those of webhooks and callbacks.
 *
 * @param {(visit: OperationVisit) => void} check
 */
export function eachOperation(check) {
  /** @type {Set<string>} */
  const reported = new Set();
  const callbacks = trackCallbacks();
  return {
    Callback: callbacks.visitor,
    Paths: {
      PathItem: {
        /**
         * @param {Operation} operation
         * @param {Context} ctx
         * @param {{ PathItem: PathItem }} parents
         */
        Operation(operation, ctx, parents) {
          if (callbacks.isInside()) return;
          check({
            ctx: {
              ...ctx,
              report: (problem) => {
                reportOnce(problem, ctx, reported);
              },
            },
            method: String(ctx.key),
            operation: { node: operation, location: ctx.location },
            pathItem: { node: parents.PathItem, location: ctx.parentLocations.PathItem },
          });
        },
      },
    },
  };
}

/**
 * Operations share responses and schemas, so a problem in a shared part is reported once.
 *
 * @param {Problem} problem
 * @param {Context} ctx
 * @param {Set<string>} reported
 */
export function reportOnce(problem, ctx, reported) {
  const { source, pointer } = problem.location;
  const identity = `${source.absoluteRef} ${pointer} ${problem.message}`;
  if (reported.has(identity)) return;
  reported.add(identity);
  ctx.report(problem);
}

/**
 * @param {OperationVisit} visit
 * @returns {(Located<Response> & { key: string })[]} the responses, keyed by status
 */
export function responsesOf({ ctx, operation: { node, location } }) {
  return resolveMembers(ctx, node.responses, location.child(['responses']));
}

/**
 * @param {Located<Response>} response
 * @returns {Located<MediaType> | undefined} the JSON body, if the response has one
 */
export function jsonBodyOf({ node, location }) {
  const media = node.content?.['application/json'];
  return media && { node: media, location: location.child(['content', 'application/json']) };
}

/**
 * @param {OperationVisit} visit
 * @returns {Parameter[]} the parameters of the operation and of its path
 */
export function parametersOf({ ctx, operation, pathItem }) {
  return [pathItem, operation]
    .flatMap(({ node, location }) =>
      resolveMembers(ctx, node.parameters, location.child(['parameters'])),
    )
    .map((parameter) => parameter.node);
}

/**
 * @param {OperationVisit} visit
 * @param {string} name
 */
export function hasHeader(visit, name) {
  return parametersOf(visit).some(
    (parameter) => parameter.in === 'header' && parameter.name === name,
  );
}
