/** Each operation names the one permission that it needs, as the role of its security requirement. */

import { eachOperation } from '../reading.js';

const permissions = ['read', 'write', 'delete', 'manage'];

export function operationPermission() {
  return eachOperation(({ ctx, operation }) => {
    const requirements = operation.node.security ?? [];
    const roles = requirements.flatMap((requirement) => Object.values(requirement).flat());
    const [role] = roles;
    if (requirements.length === 1 && roles.length === 1 && permissions.includes(String(role))) {
      return;
    }
    ctx.report({
      message:
        `The operation must name exactly one permission out of ${permissions.join(', ')}; ` +
        'write it as the role of its security requirement: security: [{ apiKey: [read] }].',
      location:
        operation.node.security === undefined
          ? operation.location.key()
          : operation.location.child(['security']),
    });
  });
}
