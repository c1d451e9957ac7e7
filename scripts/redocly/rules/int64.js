/** An integer that can exceed 32 bits must have the format int64; otherwise many generators use 32 bits. */

/** @import { Context, Schema } from '../types.js' */

const largest = 2 ** 31 - 1;

export function int64() {
  return {
    /**
     * @param {Schema} schema
     * @param {Context} ctx
     */
    Schema(schema, ctx) {
      if (![schema.type].flat().includes('integer') || schema.format === 'int64') return;
      const { minimum = 0, maximum = 0 } = schema;
      if (maximum <= largest && minimum >= -largest - 1) return;
      ctx.report({
        message: 'This integer does not fit into 32 bits; add format: int64.',
        location: ctx.location,
      });
    },
  };
}
