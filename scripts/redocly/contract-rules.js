/** The rules for the contract that Redocly's own rules and assertions cannot state, as a plugin that redocly.yaml loads. */

import { errorExamples } from './rules/error-examples.js';
import { extensionsComplete } from './rules/extensions-complete.js';
import { limits } from './rules/limits.js';
import { openAnswers } from './rules/open-answers.js';
import { operationPermission } from './rules/operation-permission.js';

export default function contractRules() {
  return {
    id: 'contract',
    rules: {
      oas3: {
        'error-examples': errorExamples,
        'extensions-complete': extensionsComplete,
        limits,
        'open-answers': openAnswers,
        'operation-permission': operationPermission,
      },
    },
  };
}
