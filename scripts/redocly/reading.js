/** Reads the contract from within a rule: follows references and remembers in which file each value stands. */

/** @import { Context, Located, Location, MediaType, Operation, OperationVisit, Parameter, PathItem, Problem, Reference, Response } from './types.js' */

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
 * The value itself, or what its reference leads to. A reference that leads nowhere gives undefined: Redocly's own
 * no-unresolved-refs reports it.
 *
 * @template T
 * @param {Context} ctx
 * @param {T | Reference | undefined} value
 * @param {Location} location where the value, or its reference, is written
 * @returns {Located<T> | undefined}
 */
export function follow(ctx, value, location) {
  if (value === undefined) return undefined;
  const target = ctx.resolve(value, location.source.absoluteRef);
  const place = isReference(value) ? target.location : location;
  return target.node === undefined || place === undefined
    ? undefined
    : { node: target.node, location: place };
}

/**
 * Every member of a map or a list, references followed.
 *
 * @template T
 * @param {Context} ctx
 * @param {Record<string, T | Reference> | (T | Reference)[] | undefined} container
 * @param {Location} location
 * @returns {(Located<T> & { key: string })[]}
 */
export function members(ctx, container, location) {
  return Object.entries(container ?? {}).flatMap(([key, value]) => {
    const member = follow(ctx, value, location.child([key]));
    return member === undefined ? [] : [{ ...member, key }];
  });
}

/**
 * A visitor that calls the check once for each operation under `paths`; operations of webhooks are left out.
 *
 * @param {(visit: OperationVisit) => void} check
 */
export function eachOperation(check) {
  /** @type {Set<string>} */
  const reported = new Set();
  return {
    Paths: {
      PathItem: {
        /**
         * @param {Operation} operation
         * @param {Context} ctx
         * @param {{ PathItem: PathItem }} parents
         */
        Operation(operation, ctx, parents) {
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
 * Many operations share a response; what is wrong with it is said once.
 *
 * @param {Problem} problem
 * @param {Context} ctx
 * @param {Set<string>} reported
 */
function reportOnce(problem, ctx, reported) {
  const { source, pointer } = problem.location;
  const identity = `${source.absoluteRef} ${pointer} ${problem.message}`;
  if (reported.has(identity)) return;
  reported.add(identity);
  ctx.report(problem);
}

/**
 * @param {OperationVisit} visit
 * @returns {(Located<Response> & { key: string })[]} the responses, keyed by their status
 */
export function responsesOf({ ctx, operation: { node, location } }) {
  return members(ctx, node.responses, location.child(['responses']));
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
 * @returns {Parameter[]} the operation's own parameters and those that it shares with its path
 */
export function parametersOf({ ctx, operation, pathItem }) {
  return [pathItem, operation]
    .flatMap(({ node, location }) => members(ctx, node.parameters, location.child(['parameters'])))
    .map((parameter) => parameter.node);
}
