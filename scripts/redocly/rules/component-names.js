/** Schemas, parameters and responses must not share a name, since generators create a type for each. */

import { componentName } from '../contract.js';

/** @import { Context } from '../types.js' */

export function componentNames() {
  /** @type {Map<string, string>} */
  const kindByName = new Map();
  /** @type {Set<string>} */
  const reported = new Set();

  /** @param {string} kind */
  const visitor = (kind) => ({
    /**
     * @param {unknown} _
     * @param {Context} ctx
     */
    enter(_, ctx) {
      const name = componentName(ctx.location);
      if (name === undefined) return;
      const known = kindByName.get(name) ?? kind;
      kindByName.set(name, known);
      if (known === kind || reported.has(name)) return;
      reported.add(name);
      ctx.report({
        message: `${name} names a ${known} and a ${kind}; rename one of them, with its file.`,
        location: ctx.location,
      });
    },
  });
  return {
    Schema: visitor('schema'),
    Parameter: visitor('parameter'),
    Response: visitor('response'),
    RequestBody: visitor('request body'),
  };
}
