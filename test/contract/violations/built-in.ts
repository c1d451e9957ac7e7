/** Violations that Redocly's built-in rules must find, by rule. */

import { type ViolationsByRule, swap } from './violation.js';

export const builtInCases: ViolationsByRule = {
  'no-unresolved-refs': [
    {
      what: 'a broken reference',
      file: 'schemas/Agent.yaml',
      change: swap('$ref: AgentName.yaml', '$ref: AgentTitle.yaml'),
      says: "Can't resolve $ref",
    },
  ],
  'no-unused-components': [
    {
      what: 'a component that nothing uses',
      file: 'openapi.yaml',
      change: swap('components:\n', 'components:\n  schemas:\n    Lonely:\n      type: boolean\n'),
      says: 'Component: "Lonely" is never used.',
    },
  ],
  'operation-operationId-unique': [
    {
      what: 'two operations of one name',
      file: 'paths/keys.yaml',
      change: swap('operationId: listApiKeys', 'operationId: createApiKey'),
      says: 'Every operation must have a unique `operationId`',
    },
  ],
  'no-invalid-media-type-examples': [
    {
      what: 'an example of the wrong type',
      file: 'examples/InvocationResult.yaml',
      change: (text) => text.replace(/tokens_used: .*/, 'tokens_used: many'),
      says: '`tokens_used` property type must be integer',
    },
    {
      what: 'an example with a field that its schema does not have',
      file: 'examples/AgentUpdate.yaml',
      change: swap('value:\n', 'value:\n  colour: red\n'),
      says: 'colour',
    },
  ],
  'no-invalid-parameter-examples': [
    {
      what: 'a parameter example out of range',
      file: 'parameters/Offset.yaml',
      change: swap('example: 0', 'example: -1'),
      says: 'must be >= 0',
    },
  ],
  'operation-tag-defined': [
    {
      what: 'a tag that is not declared',
      file: 'paths/webhooks_{webhook_id}.yaml',
      change: swap('tags: [webhooks]', 'tags: [secrets]'),
      says: 'secrets',
    },
  ],
  'operation-singular-tag': [
    {
      what: 'an operation in two groups',
      file: 'paths/keys_{key_id}.yaml',
      change: swap('tags: [keys]', 'tags: [keys, agents]'),
      says: 'one tag',
    },
  ],
};
