/** The project's own rules for the contract, as a Redocly plugin that redocly.yaml loads. */

import { componentNames } from './rules/component-names.js';
import { constants } from './rules/constants.js';
import { enumNames } from './rules/enum-names.js';
import { envelopes } from './rules/envelopes.js';
import { errorExamples } from './rules/error-examples.js';
import { examplesEverywhere } from './rules/examples-everywhere.js';
import { idempotencyComplete } from './rules/idempotency-complete.js';
import { int64 } from './rules/int64.js';
import { limits } from './rules/limits.js';
import { mfaComplete } from './rules/mfa-complete.js';
import { namedObjects } from './rules/named-objects.js';
import { nullables } from './rules/nullables.js';
import { openAnswers } from './rules/open-answers.js';
import { operationId } from './rules/operation-id.js';
import { operationPermission } from './rules/operation-permission.js';
import { operationProse } from './rules/operation-prose.js';
import { operationStandardResponses } from './rules/operation-standard-responses.js';
import { responseHeaders } from './rules/response-headers.js';

export default function contractRules() {
  return {
    id: 'contract',
    rules: {
      oas3: {
        'component-names': componentNames,
        constants,
        'enum-names': enumNames,
        envelopes,
        'error-examples': errorExamples,
        'examples-everywhere': examplesEverywhere,
        'idempotency-complete': idempotencyComplete,
        int64,
        limits,
        'mfa-complete': mfaComplete,
        'named-objects': namedObjects,
        nullables,
        'open-answers': openAnswers,
        'operation-id': operationId,
        'operation-permission': operationPermission,
        'operation-prose': operationProse,
        'operation-standard-responses': operationStandardResponses,
        'response-headers': responseHeaders,
      },
    },
  };
}
