/** Each body and each parameter must have an example, for the mock, the documentation and the tests. */

/** @import { Context, MediaType, Parameter } from '../types.js' */

export function examplesEverywhere() {
  return {
    /**
     * @param {MediaType} media
     * @param {Context} ctx
     */
    MediaType(media, ctx) {
      if (hasExample(media)) return;
      ctx.report({
        message: `The ${ctx.key} body has no example; refer to a file in examples/.`,
        location: ctx.location.key(),
      });
    },
    /**
     * @param {Parameter} parameter
     * @param {Context} ctx
     */
    Parameter(parameter, ctx) {
      if (hasExample(parameter)) return;
      ctx.report({
        message: `The parameter ${parameter.name} has no example; add example: with a realistic value.`,
        location: ctx.location.child(['name']),
      });
    },
  };
}

/** @param {MediaType | Parameter} node */
function hasExample(node) {
  return node.example !== undefined || Object.keys(node.examples ?? {}).length > 0;
}
