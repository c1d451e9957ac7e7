/** Violations in responses, schemas and examples that the custom rules must find, by rule. */

import { type ViolationsByRule, swap } from './violation.js';

export const bodyCases: ViolationsByRule = {
  'contract/response-headers': [
    {
      what: 'a response without its request id',
      file: 'responses/AgentReturned.yaml',
      change: (text) => text.replace(/ {2}X-Request-Id:\n.*\n/, ''),
      says: 'The response 200 does not declare X-Request-Id',
    },
    {
      what: 'a 429 without Retry-After',
      file: 'responses/RateLimited.yaml',
      change: (text) => text.replace(/ {2}Retry-After:\n.*\n/, ''),
      says: 'The response 429 does not declare Retry-After',
    },
    {
      what: 'a 405 without Allow',
      file: 'responses/MethodNotAllowed.yaml',
      change: (text) => text.replace(/ {2}Allow:\n.*\n/, ''),
      says: 'The response 405 does not declare Allow',
    },
    {
      what: 'a 401 without WWW-Authenticate',
      file: 'responses/Unauthorized.yaml',
      change: (text) => text.replace(/ {2}WWW-Authenticate:\n.*\n/, ''),
      says: 'The response 401 does not declare WWW-Authenticate',
    },
  ],
  'contract/envelopes': [
    {
      what: 'a success without its envelope',
      file: 'schemas/AgentDeletionResponse.yaml',
      change: swap('    not:\n      const: false\n', ''),
      says: 'The body of 200 must be {success: not false, data}',
    },
    {
      what: 'an error with a body of its own',
      file: 'responses/UpstreamError.yaml',
      change: swap('ErrorResponse.yaml', 'ErrorDetail.yaml'),
      says: 'The body of 502 must be the error envelope',
    },
  ],
  'contract/error-examples': [
    {
      what: 'an error code under a status that is not its own',
      file: 'examples/ErrorTimeout.yaml',
      change: swap('code: timeout', 'code: conflict'),
      says: 'This example is shown under 504, but its code conflict means 409',
    },
  ],
  'contract/limits': [
    {
      what: 'a string of any length',
      file: 'schemas/AgentName.yaml',
      change: (text) => text.replace(/maxLength: .*\n/, ''),
      says: 'a string needs maxLength',
    },
    {
      what: 'a string of any form',
      file: 'schemas/AgentName.yaml',
      change: (text) => text.replace(/pattern: .*\n/, ''),
      says: 'a string needs a pattern or a format',
    },
    {
      what: 'a number without a maximum',
      file: 'parameters/Offset.yaml',
      change: (text) => text.replace(/ {2}maximum: .*\n/, ''),
      says: 'a number needs minimum and maximum',
    },
    {
      what: 'an array without an end',
      file: 'schemas/Permissions.yaml',
      change: (text) => text.replace(/maxItems: .*\n/, ''),
      says: 'an array needs maxItems',
    },
    {
      what: 'more unique items than can be compared pairwise',
      file: 'schemas/Permissions.yaml',
      change: (text) => text.replace(/maxItems: .*\n/, 'maxItems: 1000\n'),
      says: 'an array of unique items needs maxItems of at most 100',
    },
    {
      what: 'an object that does not decide on other fields',
      file: 'schemas/AgentDeletion.yaml',
      change: (text) => text.replace(/additionalProperties: .*\n/, ''),
      says: 'an object must set additionalProperties',
    },
    {
      what: 'properties without a type',
      file: 'schemas/AgentDeletion.yaml',
      change: swap('type: object\n', ''),
      says: 'properties also needs type: object',
    },
  ],
  'contract/examples-everywhere': [
    {
      what: 'a response without an example',
      file: 'responses/AgentDeleted.yaml',
      change: (text) => text.replace(/ {4}examples:\n(.*\n)+/, ''),
      says: 'The application/json body has no example',
    },
    {
      what: 'a parameter without an example',
      file: 'parameters/Offset.yaml',
      change: (text) => text.replace(/^example: .*\n/m, ''),
      says: 'The parameter offset has no example',
    },
  ],
};
