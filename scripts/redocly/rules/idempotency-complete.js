/** An idempotent operation must have the extension, the header, the statuses and the replay header. */

import { eachOperation, hasHeader, responsesOf } from '../contract.js';

/** @import { OperationVisit } from '../types.js' */

export function idempotencyComplete() {
  return eachOperation((visit) => {
    const { ctx, operation } = visit;
    for (const message of problemsOf(visit)) {
      ctx.report({ message, location: operation.location.key() });
    }
  });
}

/**
 * @param {OperationVisit} visit
 * @returns {string[]}
 */
function problemsOf(visit) {
  const { method, operation } = visit;
  const isMarked = operation.node['x-idempotent'] === true;
  const takesKey = hasHeader(visit, 'Idempotency-Key');
  if (!isMarked && !takesKey) return [];
  if (!isMarked) return ['The operation takes Idempotency-Key; mark it with x-idempotent: true.'];
  if (!takesKey) {
    return ['x-idempotent is true; refer to parameters/IdempotencyKey.yaml or remove the mark.'];
  }

  const responses = responsesOf(visit);
  // Without a body, a repeated request cannot differ from the first.
  const required = operation.node.requestBody === undefined ? ['409'] : ['409', '422'];
  const missing = required.filter((status) => !responses.some(({ key }) => key === status));
  const withoutReplayHeader = responses.filter(
    ({ key, node }) => key.startsWith('2') && node.headers?.['Idempotency-Replayed'] === undefined,
  );
  return [
    ...(method === 'post' ? [] : [`x-idempotent is for POST only; remove it from this ${method}.`]),
    ...missing.map((status) => `An idempotent operation must declare the response ${status}.`),
    ...withoutReplayHeader.map(
      ({ key }) => `The response ${key} must declare the header Idempotency-Replayed.`,
    ),
  ];
}
