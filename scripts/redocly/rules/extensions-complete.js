/** An operation with x-idempotent or x-mfa must take and return what the extension promises, and the other way round. */

import { eachOperation, hasHeader, responsesOf } from '../contract.js';

/** @import { OperationVisit } from '../types.js' */

export function extensionsComplete() {
  return eachOperation((visit) => {
    for (const message of [...mfaProblems(visit), ...idempotencyProblems(visit)]) {
      visit.ctx.report({ message, location: visit.operation.location.key() });
    }
  });
}

/**
 * @param {OperationVisit} visit
 * @returns {string[]}
 */
function mfaProblems(visit) {
  const isMarked = visit.operation.node['x-mfa'] !== undefined;
  if (isMarked === hasHeader(visit, 'X-MFA-Code')) return [];
  return [
    isMarked
      ? 'x-mfa names the operation; refer to parameters/MfaCode.yaml or remove the mark.'
      : 'The operation takes X-MFA-Code; name it for manifests with x-mfa.',
  ];
}

/**
 * @param {OperationVisit} visit
 * @returns {string[]}
 */
function idempotencyProblems(visit) {
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
