/** A constant must have a type and must not be a boolean, since generators turn it into an enumeration of strings. */

/** @import { Context, Schema } from '../types.js' */

export function constants() {
  return {
    /**
     * @param {Schema} schema
     * @param {Context} ctx
     */
    Schema(schema, ctx) {
      if (schema.const === undefined || /\/not$/.test(ctx.location.pointer)) return;
      if (typeof schema.const === 'boolean') {
        ctx.report({
          message: `A boolean that is always ${schema.const}; write type: boolean and not: { const: ${!schema.const} }.`,
          location: ctx.location,
        });
      } else if (schema.type === undefined) {
        ctx.report({ message: 'A constant also needs its type.', location: ctx.location });
      }
    },
  };
}
