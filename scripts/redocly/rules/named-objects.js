/** An object with properties must be a component, since generators name its type after it, and others InlineObject16. */

import { componentName, isCondition } from '../contract.js';

/** @import { Context, Schema } from '../types.js' */

export function namedObjects() {
  return {
    /**
     * @param {Schema} schema
     * @param {Context} ctx
     */
    Schema(schema, ctx) {
      if (schema.properties === undefined || componentName(ctx.location) !== undefined) return;
      if (isCondition(ctx)) return;
      ctx.report({
        message: 'An object without a name; put it into a file in schemas/ and refer to it.',
        location: ctx.location,
      });
    },
  };
}
