/** Each operation names the one permission that it needs, as the role of its security requirement. */

import { eachOperation, isSchema } from '../contract.js';

/** @import { Context, OperationVisit, Schema } from '../types.js' */

export function operationPermission() {
  /** @type {OperationVisit[]} */
  const visits = [];
  /** @type {unknown[]} */
  let permissions = [];
  return {
    ...eachOperation((visit) => visits.push(visit)),
    /**
     * @param {Schema} schema
     * @param {Context} ctx
     */
    Schema(schema, { location }) {
      if (isSchema(location, 'Permission')) permissions = schema.enum ?? [];
    },
    Root: {
      // The permissions are known once the whole contract has been visited.
      leave() {
        for (const visit of visits) checkPermission(visit, permissions);
      },
    },
  };
}

/**
 * @param {OperationVisit} visit
 * @param {unknown[]} permissions
 */
function checkPermission({ ctx, operation }, permissions) {
  const requirements = operation.node.security ?? [];
  const roles = requirements.flatMap((requirement) => Object.values(requirement).flat());
  if (requirements.length === 1 && roles.length === 1 && permissions.includes(roles[0])) return;
  ctx.report({
    message:
      `The operation must name exactly one permission out of ${permissions.join(', ')}; ` +
      'write it as the role of its security requirement: security: [{ apiKey: [read] }].',
    location:
      operation.node.security === undefined
        ? operation.location.key()
        : operation.location.child(['security']),
  });
}
