/** Each JSON body must be one of the three envelopes of the service: an object, a list, or an error. */

import {
  eachOperation,
  isSchema,
  jsonBodyOf,
  resolve,
  resolveMembers,
  responsesOf,
} from '../contract.js';

/** @import { Context, Located, Schema } from '../types.js' */

export function envelopes() {
  return eachOperation((visit) => {
    const { ctx } = visit;
    for (const response of responsesOf(visit)) {
      const body = jsonBodyOf(response);
      if (body === undefined) continue;
      const reference = body.location.child(['schema']);
      const schema = resolve(ctx, body.node.schema, reference);

      if (!response.key.startsWith('2')) {
        if (schema !== undefined && isSchema(schema.location, 'ErrorResponse')) continue;
        ctx.report({
          message: `The body of ${response.key} must be the error envelope; refer to schemas/ErrorResponse.yaml.`,
          location: reference,
        });
      } else if (schema === undefined || !isSuccessEnvelope(ctx, schema)) {
        ctx.report({
          message:
            `The body of ${response.key} must be {success: not false, data} or ` +
            '{data: array, pagination}, with both properties required.',
          location: schema?.location ?? reference,
        });
      }
    }
  });
}

/**
 * @param {Context} ctx
 * @param {Located<Schema>} schema
 */
function isSuccessEnvelope(ctx, schema) {
  const data = requiredProperty(ctx, schema, 'data');
  if (data === undefined) return false;
  return (
    requiredProperty(ctx, schema, 'success')?.node.not?.const === false ||
    (data.node.type === 'array' && requiredProperty(ctx, schema, 'pagination') !== undefined)
  );
}

/**
 * A required property of the schema or of a part of its allOf.
 *
 * @param {Context} ctx
 * @param {Located<Schema>} schema
 * @param {string} name
 * @returns {Located<Schema> | undefined}
 */
function requiredProperty(ctx, { node, location }, name) {
  if (node.required?.includes(name)) {
    const own = resolve(ctx, node.properties?.[name], location.child(['properties', name]));
    if (own !== undefined) return own;
  }
  return resolveMembers(ctx, node.allOf, location.child(['allOf']))
    .map((part) => requiredProperty(ctx, part, name))
    .find((found) => found !== undefined);
}
