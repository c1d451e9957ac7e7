/** Requests must be closed, so that a misspelt field is an error. Responses must be open, so that fields can be added. */

import { reportOnce, schemasIn, trackCallbacks } from '../contract.js';

/** @import { Context, Schema } from '../types.js' */

export function openAnswers() {
  /** @type {Set<string>} */
  const reported = new Set();
  const callbacks = trackCallbacks();

  /** @param {(schema: Schema) => string | undefined} problemOf */
  const visitor = (problemOf) => ({
    /**
     * @param {Schema} schema
     * @param {Context} ctx
     */
    Schema(schema, ctx) {
      // A nested visitor is called only for the outermost schema.
      for (const { node, location } of schemasIn(ctx, { node: schema, location: ctx.location })) {
        const message = problemOf(node);
        if (message !== undefined) reportOnce({ message, location }, ctx, reported);
      }
    },
  });
  const request = visitor((schema) =>
    callbacks.isInside() ? problemOfAnswer(schema) : problemOfRequest(schema),
  );
  const answer = visitor(problemOfAnswer);
  return {
    Callback: callbacks.visitor,
    Paths: { Parameter: request, RequestBody: request, Response: answer },
    // Receivers must accept added fields too.
    WebhooksMap: { RequestBody: answer },
  };
}

/**
 * @param {Schema} schema
 * @returns {string | undefined}
 */
function problemOfRequest({ additionalProperties, maxProperties, ...schema }) {
  if (schema['x-extensible-enum'] !== undefined) {
    return 'A request may only use values that exist; list the values where the request refers to this, in enum.';
  }
  return additionalProperties && maxProperties === undefined
    ? 'A request with fields of any name needs maxProperties; otherwise set additionalProperties: false.'
    : undefined;
}

/**
 * @param {Schema} schema
 * @returns {string | undefined}
 */
function problemOfAnswer({ additionalProperties, enum: values, description = '' }) {
  if (additionalProperties === false) {
    return 'Strict clients of an answer without further fields break when one is added; set additionalProperties: true.';
  }
  return values !== undefined && /\bmay be added\b/.test(description)
    ? 'Strict clients of an enum break when a value is added; list the values in x-extensible-enum.'
    : undefined;
}
