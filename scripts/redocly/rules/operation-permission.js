/** Each operation must name the one permission that it needs as the role of its security requirements. */

import { eachOperation, isSchema } from '../contract.js';

/** @import { Context, Location, OperationVisit, Schema } from '../types.js' */

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

/** The permissions that the scope of an access token can grant. */
const oauthPermissions = ['read', 'write'];

/** The scopes that grant one operation alone. */
const oauthOperations = new Map([['invokeAgent', 'invoke:agents']]);

/**
 * @param {OperationVisit} visit
 * @param {unknown[]} permissions
 */
function checkPermission({ ctx, pathItem, operation }, permissions) {
  const { security = [] } = operation.node;
  const [permission, ...others] = security.flatMap((requirement) => requirement.apiKey ?? []);
  const location =
    operation.node.security === undefined
      ? operation.location.key()
      : operation.location.child(['security']);
  if (permission === undefined || others.length > 0 || !permissions.includes(permission)) {
    ctx.report({
      message:
        `The operation must name exactly one permission out of ${permissions.join(', ')}; ` +
        'write it as the role of its security requirement: security: [{ apiKey: [read] }].',
      location,
    });
    return;
  }
  const expected = JSON.stringify(
    alternatives(pathItem.location, operation.node.operationId, permission),
  );
  if (JSON.stringify(security) === expected) return;
  ctx.report({ message: `The security of this operation must be ${expected}.`, location });
}

/**
 * Operations of an agent also accept tokens for that agent.
 *
 * @param {Location} location of the path item, in a file that is named after its path or under the path itself
 * @param {string | undefined} operationId
 * @param {string} permission
 */
function alternatives({ source, pointer }, operationId, permission) {
  const isOfAgent = (source.absoluteRef + pointer).includes('{agent_id}');
  const ownScope = oauthOperations.get(operationId ?? '');
  return [
    { apiKey: [permission] },
    ...(isOfAgent ? [{ agentJwt: [permission] }] : []),
    ...(isOfAgent && oauthPermissions.includes(permission)
      ? [{ agentOAuth: [`${permission}:agents`] }]
      : []),
    ...(ownScope === undefined ? [] : [{ agentOAuth: [ownScope] }]),
  ];
}
