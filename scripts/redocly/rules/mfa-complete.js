/** An operation that can require a one-time code must have both the extension x-mfa and the header X-MFA-Code. */

import { eachOperation, hasHeader } from '../contract.js';

export function mfaComplete() {
  return eachOperation((visit) => {
    const { ctx, operation } = visit;
    const isMarked = operation.node['x-mfa'] !== undefined;
    if (isMarked === hasHeader(visit, 'X-MFA-Code')) return;
    ctx.report({
      message: isMarked
        ? 'x-mfa names the operation; refer to parameters/MfaCode.yaml or remove the mark.'
        : 'The operation takes X-MFA-Code; name it for manifests with x-mfa.',
      location: operation.location.key(),
    });
  });
}
