/** Each operation must have an operationId in camelCase, since handlers and client methods are named after it. */

import { eachOperation } from '../contract.js';

export function operationId() {
  return eachOperation(({ ctx, operation }) => {
    const id = operation.node.operationId;
    if (id === undefined) {
      ctx.report({
        message: 'The operation has no operationId; name it in camelCase, verb first: listAgents.',
        location: operation.location.key(),
      });
    } else if (!/^[a-z][a-zA-Z0-9]*$/.test(id)) {
      ctx.report({
        message: `The operationId ${id} is not camelCase; write it like listAgents.`,
        location: operation.location.child(['operationId']),
      });
    }
  });
}
