/**
 * A value that is not a valid identifier needs a name in x-enum-varnames: `-created_at` would become VALUE_1. Names must be unique
 * across components, since the values of all enumerations are constants of one Go package.
 */

import { componentName } from '../contract.js';

/** @import { Context, Schema } from '../types.js' */

export function enumNames() {
  /** @type {Map<string, string>} */
  const owners = new Map();

  return {
    /**
     * @param {Schema} schema
     * @param {Context} ctx
     */
    Schema(schema, ctx) {
      const values = schema.enum ?? [];
      const names = schema['x-enum-varnames'];
      const location = ctx.location.child(['enum']);
      const problem = problemOf(values, names);
      if (problem !== undefined) {
        ctx.report({
          message: `${problem}; list a name like CREATED_AT_DESC for each value, in their order.`,
          location,
        });
      }
      const component = componentName(ctx.location);
      if (component === undefined) return;
      for (const name of names ?? values) {
        const constant = String(name).toUpperCase();
        const owner = owners.get(constant);
        if (owner === undefined) owners.set(constant, component);
        else if (owner !== component) {
          ctx.report({ message: `${constant} is a value of ${owner} too; rename one.`, location });
        }
      }
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
