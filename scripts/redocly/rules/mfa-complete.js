/** An operation for which a one-time code can be demanded says so twice: by its mark, and by the header that takes it. */

import { eachOperation, parametersOf } from '../reading.js';

export function mfaComplete() {
  return eachOperation((visit) => {
    const { ctx, operation } = visit;
    const marked = operation.node['x-mfa'] !== undefined;
    const takesCode = parametersOf(visit).some(
      (parameter) => parameter.in === 'header' && parameter.name === 'X-MFA-Code',
    );
    if (marked === takesCode) return;
    ctx.report({
      message: marked
        ? 'x-mfa names the operation; refer to parameters/MfaCode.yaml or remove the mark.'
        : 'The operation takes X-MFA-Code; say under which name a manifest demands it, with x-mfa.',
      location: operation.location.key(),
    });
  });
}
