/** Null must be an alternative where a schema is used, since generators support neither null alone nor nullable components. */

import { componentName } from '../contract.js';

/** @import { Context, Schema } from '../types.js' */

export function nullables() {
  return {
    /**
     * @param {Schema} schema
     * @param {Context} ctx
     */
    Schema(schema, ctx) {
      const name = componentName(ctx.location);
      if (schema.type === 'null' && !/\/(oneOf|anyOf)\/\d+$/.test(ctx.location.pointer)) {
        ctx.report({
          message:
            'A null alone has no type in most languages; allow it beside another schema with oneOf.',
          location: ctx.location,
        });
      } else if (name !== undefined && allowsNull(schema)) {
        ctx.report({
          message: `The component ${name} may be null; write oneOf with null where it is used, and name what is not null.`,
          location: ctx.location,
        });
      }
    },
  };
}

/** @param {Schema} schema */
function allowsNull(schema) {
  const alternatives = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  return [schema, ...alternatives].some(
    (one) => 'type' in one && [one.type].flat().includes('null'),
  );
}
