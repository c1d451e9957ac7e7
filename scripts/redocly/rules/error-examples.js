/** Each error example must have a code that matches the status of its response. */

import {
  eachOperation,
  isObject,
  jsonBodyOf,
  resolve,
  resolveMembers,
  responsesOf,
} from '../contract.js';

/** @import { Context, Located, MediaType } from '../types.js' */

export function errorExamples() {
  return eachOperation((visit) => {
    const { ctx } = visit;
    for (const response of responsesOf(visit)) {
      const body = jsonBodyOf(response);
      if (body === undefined || !/^[45]/.test(response.key)) continue;

      const statuses = statusByCode(ctx, body);
      for (const example of examplesOf(ctx, body)) {
        const code = codeOf(example.node);
        if (String(statuses[code]) === response.key) continue;
        ctx.report({
          message:
            `This example is shown under ${response.key}, but its code ${code} means ` +
            `${statuses[code] ?? 'nothing'}; use a code that x-http-status of ErrorCode maps to ${response.key}.`,
          location: example.location,
        });
      }
    }
  });
}

/**
 * @param {Context} ctx
 * @param {Located<MediaType>} body
 * @returns {Located<unknown>[]}
 */
function examplesOf(ctx, { node, location }) {
  const single =
    node.example === undefined
      ? []
      : [{ node: node.example, location: location.child(['example']) }];
  const named = resolveMembers(ctx, node.examples, location.child(['examples'])).map((example) => ({
    node: example.node.value,
    location: example.location.child(['value']),
  }));
  return [...single, ...named];
}

/** @param {unknown} body */
function codeOf(body) {
  const error = isObject(body) ? body['error'] : undefined;
  const code = isObject(error) ? error['code'] : undefined;
  return typeof code === 'string' ? code : '(none)';
}

/**
 * The status of each code, from the ErrorCode schema of the error body.
 *
 * @param {Context} ctx
 * @param {Located<MediaType>} body
 * @returns {Record<string, number>}
 */
function statusByCode(ctx, body) {
  let schema = resolve(ctx, body.node.schema, body.location.child(['schema']));
  for (const name of ['error', 'code']) {
    const property = schema?.node.properties?.[name];
    schema = schema && resolve(ctx, property, schema.location.child(['properties', name]));
  }
  return schema?.node['x-http-status'] ?? {};
}
