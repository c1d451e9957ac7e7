/** The project's own rules for the contract, as a Redocly plugin that redocly.yaml loads. */

import { envelopes } from './rules/envelopes.js';
import { errorExamples } from './rules/error-examples.js';
import { examplesEverywhere } from './rules/examples-everywhere.js';
import { idempotencyComplete } from './rules/idempotency-complete.js';
import { limits } from './rules/limits.js';
import { mfaComplete } from './rules/mfa-complete.js';
import { operationId } from './rules/operation-id.js';
import { operationPermission } from './rules/operation-permission.js';
import { operationProse } from './rules/operation-prose.js';
import { operationStandardResponses } from './rules/operation-standard-responses.js';
import { responseHeaders } from './rules/response-headers.js';

export default function houseRules() {
  return {
    id: 'house',
    rules: {
      oas3: {
        envelopes,
        'error-examples': errorExamples,
        'examples-everywhere': examplesEverywhere,
        'idempotency-complete': idempotencyComplete,
        limits,
        'mfa-complete': mfaComplete,
        'operation-id': operationId,
        'operation-permission': operationPermission,
        'operation-prose': operationProse,
        'operation-standard-responses': operationStandardResponses,
        'response-headers': responseHeaders,
      },
    },
  };
}
