/** A value that cannot be a name in a program has one in x-enum-varnames: `-created_at` would become VALUE_1. */

/** @import { Context, Schema } from '../types.js' */

export function enumNames() {
  return {
    /**
     * @param {Schema} schema
     * @param {Context} ctx
     */
    Schema(schema, ctx) {
      const problem = problemOf(schema.enum ?? [], schema['x-enum-varnames']);
      if (problem === undefined) return;
      ctx.report({
        message: `${problem}; list a name like CREATED_AT_DESC for each value, in their order.`,
        location: ctx.location.child(['enum']),
      });
    },
  };
}

/**
 * @param {unknown[]} values
 * @param {string[] | undefined} names
 * @returns {string | undefined}
 */
function problemOf(values, names) {
  if (names === undefined) {
    const unusable = values.filter((value) => !/^[a-z]\w*$/i.test(String(value)));
    return unusable.length === 0
      ? undefined
      : `x-enum-varnames is missing, and ${unusable.join(', ')} cannot be a name in a program`;
  }
  if (names.length !== values.length) {
    return `x-enum-varnames has ${names.length} names for ${values.length} values`;
  }
  const wrong = names.filter((name) => !/^[A-Z][A-Z0-9_]*$/.test(name));
  if (wrong.length > 0) return `x-enum-varnames has ${wrong.join(', ')}`;
  return new Set(names).size === names.length ? undefined : 'x-enum-varnames has a name twice';
}
