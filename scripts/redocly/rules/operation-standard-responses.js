/** Each operation must declare every status that the request pipeline can respond with. */

import { eachOperation, parametersOf } from '../contract.js';

/** @import { OperationVisit } from '../types.js' */

const always = ['400', '401', '403', '405', '429', '500', '503'];
const withBody = ['413', '415'];
const withPathParameter = ['404'];

export function operationStandardResponses() {
  return eachOperation((visit) => {
    const { ctx, operation } = visit;
    const declared = Object.keys(operation.node.responses ?? {});
    const location = operation.location.child(['responses']).key();

    const missing = expectedStatuses(visit).filter((status) => !declared.includes(status));
    if (missing.length > 0) {
      ctx.report({
        message: `The operation does not declare ${missing.join(', ')}; refer to the shared files in responses/.`,
        location,
      });
    }
    const ranges = declared.filter((status) => !/^[2-5]\d\d$/.test(status));
    if (ranges.length > 0) {
      ctx.report({
        message: `The response ${ranges.join(', ')} covers many statuses; declare each one that can occur.`,
        location,
      });
    }
  });
}

/** @param {OperationVisit} visit */
function expectedStatuses(visit) {
  const hasBody = visit.operation.node.requestBody !== undefined;
  const hasPathParameter = parametersOf(visit).some((parameter) => parameter.in === 'path');
  return [...always, ...(hasBody ? withBody : []), ...(hasPathParameter ? withPathParameter : [])];
}
