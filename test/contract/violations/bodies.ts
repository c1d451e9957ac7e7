/** Violations in responses, schemas and examples that the custom rules must find, by rule. */

import { type ViolationsByRule, swap } from './violation.js';

export const bodyCases: ViolationsByRule = {
  'response-contains-header': [
    {
      what: 'a response without its request id',
      file: 'responses/AgentReturned.yaml',
      change: (text) => text.replace(/ {2}X-Request-Id:\n.*\n/, ''),
      says: 'Response object must contain a "X-Request-Id" header',
    },
    {
      what: 'a 429 without Retry-After',
      file: 'responses/RateLimited.yaml',
      change: (text) => text.replace(/ {2}Retry-After:\n.*\n/, ''),
      says: 'Response object must contain a "Retry-After" header',
    },
    {
      what: 'a 405 without Allow',
      file: 'responses/MethodNotAllowed.yaml',
      change: (text) => text.replace(/ {2}Allow:\n.*\n/, ''),
      says: 'Response object must contain a "Allow" header',
    },
    {
      what: 'a 401 without WWW-Authenticate',
      file: 'responses/Unauthorized.yaml',
      change: (text) => text.replace(/ {2}WWW-Authenticate:\n.*\n/, ''),
      says: 'Response object must contain a "WWW-Authenticate" header',
    },
  ],
  'response-contains-property': [
    {
      what: 'a success without its envelope',
      file: 'responses/AgentReturned.yaml',
      change: (text) => text.replace(/\$ref: .*AgentResponse.yaml/, '$ref: ../schemas/Agent.yaml'),
      blamed: 'schemas/Agent.yaml',
      says: 'Response object must contain a top-level "data" property',
    },
    {
      what: 'an error with a body of its own',
      file: 'responses/UpstreamError.yaml',
      change: swap('ErrorResponse.yaml', 'ErrorDetail.yaml'),
      blamed: 'schemas/ErrorDetail.yaml',
      says: 'Response object must contain a top-level "error" property',
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
    {
      what: 'an integer over 2³¹ without a format',
      file: 'schemas/MemoryClearing.yaml',
      change: swap('    format: int64\n', ''),
      says: 'an integer of more than 32 bits needs format: int64',
    },
  ],
  'contract/open-answers': [
    {
      what: 'a filter by an open enumeration',
      file: 'parameters/DeploymentStatusFilter.yaml',
      blamed: 'schemas/DeploymentStatus.yaml',
      change: swap(
        '  type: string\n  enum: [active, superseded, rolled_back]\n',
        '  $ref: ../schemas/DeploymentStatus.yaml\n',
      ),
      says: 'list the values where the request refers to this',
    },
    {
      what: 'an answer that forbids further fields',
      file: 'schemas/AgentSummary.yaml',
      change: swap('additionalProperties: true', 'additionalProperties: false'),
      says: 'set additionalProperties: true',
    },
    {
      what: 'an event of a stream that forbids further fields',
      file: 'schemas/InvocationDeltaEvent.yaml',
      change: swap('additionalProperties: true', 'additionalProperties: false'),
      says: 'set additionalProperties: true',
    },
    {
      what: 'an event for receivers that forbids further fields',
      file: 'schemas/AgentCompletedEvent.yaml',
      change: swap('additionalProperties: true', 'additionalProperties: false'),
      says: 'set additionalProperties: true',
    },
    {
      what: 'an enumeration that may grow, as a closed one',
      file: 'schemas/WebhookStatus.yaml',
      change: swap('x-extensible-enum', 'enum'),
      says: 'list the values in x-extensible-enum',
    },
    {
      what: 'a request with any number of fields of any name',
      file: 'schemas/InvocationContext.yaml',
      change: (text) => text.replace(/maxProperties: .*\n/, ''),
      says: 'A request with fields of any name needs maxProperties',
    },
  ],
  'rule/body-examples': [
    {
      what: 'a response without an example',
      file: 'responses/AgentDeleted.yaml',
      change: (text) => text.replace(/ {4}examples:\n(.*\n)+/, ''),
      says: 'Refer to a file in examples/',
    },
  ],
  'rule/parameter-examples': [
    {
      what: 'a parameter without an example',
      file: 'parameters/Offset.yaml',
      change: (text) => text.replace(/^example: .*\n/m, ''),
      says: 'Give the parameter a realistic example',
    },
  ],
};
