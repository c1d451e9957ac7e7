/** An operation that honours Idempotency-Key says so everywhere: extension, header, statuses, replay mark. */

import { eachOperation, parametersOf, responsesOf } from '../reading.js';

/** @import { OperationVisit } from '../types.js' */

export function idempotencyComplete() {
  return eachOperation((visit) => {
    const { ctx, operation } = visit;
    for (const message of faults(visit))
      ctx.report({ message, location: operation.location.key() });
  });
}

/**
 * @param {OperationVisit} visit
 * @returns {string[]}
 */
function faults(visit) {
  const { method, operation } = visit;
  const marked = operation.node['x-idempotent'] === true;
  const takesKey = parametersOf(visit).some(
    (parameter) => parameter.in === 'header' && parameter.name === 'Idempotency-Key',
  );
  if (!marked && !takesKey) return [];
  if (!marked) return ['The operation takes Idempotency-Key; say so with x-idempotent: true.'];
  if (!takesKey) {
    return ['x-idempotent is true; refer to parameters/IdempotencyKey.yaml or remove the mark.'];
  }

  const responses = responsesOf(visit);
  // Where there is no body, no repeat can come with another one.
  const needed = operation.node.requestBody === undefined ? ['409'] : ['409', '422'];
  const missing = needed.filter((status) => !responses.some(({ key }) => key === status));
  const unmarked = responses.filter(
    ({ key, node }) => key.startsWith('2') && node.headers?.['Idempotency-Replayed'] === undefined,
  );
  return [
    ...(method === 'post' ? [] : [`x-idempotent is for POST only; remove it from this ${method}.`]),
    ...missing.map((status) => `An idempotent operation must declare the response ${status}.`),
    ...unmarked.map(
      ({ key }) => `The response ${key} must declare the header Idempotency-Replayed.`,
    ),
  ];
}
