/** Violations in operations that the custom rules must find, by rule. */

import { type ViolationsByRule, swap } from './violation.js';

export const operationCases: ViolationsByRule = {
  'rule/operation-id': [
    {
      what: 'an operation id that is not camelCase',
      file: 'paths/agents_{agent_id}_metrics.yaml',
      change: swap('operationId: getMetrics', 'operationId: get_metrics'),
      says: 'Name the operation in camelCase',
    },
    {
      what: 'an operation without an id',
      file: 'paths/agents.yaml',
      change: swap('  operationId: listAgents\n', ''),
      says: 'Name the operation in camelCase',
    },
  ],
  'contract/operation-permission': [
    {
      what: 'an operation without a permission',
      file: 'paths/keys.yaml',
      change: swap('- apiKey: [manage]', '- apiKey: []'),
      says: 'must name exactly one permission out of read, write, delete, manage',
    },
    {
      what: 'an operation that leaves security to the default',
      file: 'paths/webhooks.yaml',
      change: swap('  security:\n    - apiKey: [read]\n', ''),
      says: 'must name exactly one permission',
    },
    {
      what: 'an unknown permission',
      file: 'paths/agents_{agent_id}_deployments.yaml',
      change: swap('- apiKey: [read]', '- apiKey: [admin]'),
      says: 'must name exactly one permission',
    },
    {
      what: 'two permissions',
      file: 'paths/agents_{agent_id}_memory.yaml',
      change: swap('- apiKey: [delete]', '- apiKey: [delete, read]'),
      says: 'must name exactly one permission',
    },
    {
      what: 'an operation of an agent that takes no token',
      file: 'paths/agents_{agent_id}_logs.yaml',
      change: swap('    - agentJwt: [read]\n', ''),
      says: 'The security of this operation must be [{"apiKey":["read"]},{"agentJwt":["read"]}',
    },
    {
      what: 'a scope for invoking that another operation takes',
      file: 'paths/agents_{agent_id}_logs.yaml',
      change: swap("['read:agents']\n", "['read:agents']\n    - agentOAuth: ['invoke:agents']\n"),
      says: 'The security of this operation must be [{"apiKey":["read"]},{"agentJwt":["read"]}',
    },
    {
      what: 'an operation that takes a token of an agent, though it is of none',
      file: 'paths/agents.yaml',
      change: swap('    - apiKey: [read]\n', '    - apiKey: [read]\n    - agentJwt: [read]\n'),
      says: 'The security of this operation must be [{"apiKey":["read"]}]',
    },
  ],
  'rule/standard-responses': [
    {
      what: 'a standard response that is not declared',
      file: 'paths/agents.yaml',
      change: swap("    '429':\n      $ref: ../responses/RateLimited.yaml\n", ''),
      says: 'Refer to the shared files in responses/',
    },
    {
      what: 'a response for any status',
      file: 'paths/agents.yaml',
      change: swap("    '500':\n", '    5XX:\n'),
      says: 'Refer to the shared files in responses/',
    },
  ],
  'rule/responses-to-a-body': [
    {
      what: 'a body without its refusals',
      file: 'paths/webhooks.yaml',
      change: swap("    '413':\n      $ref: ../responses/PayloadTooLarge.yaml\n", ''),
      says: 'Refer to the shared files in responses/',
    },
  ],
  'rule/responses-to-a-path': [
    {
      what: 'a path parameter without 404',
      file: 'paths/agents_{agent_id}.yaml',
      change: swap("    '404':\n      $ref: ../responses/AgentNotFound.yaml\n", ''),
      says: 'Refer to a file in responses/',
    },
  ],
  'rule/summary': [
    {
      what: 'a summary in title case',
      file: 'paths/keys.yaml',
      change: swap('summary: List API keys', 'summary: List API Keys'),
      says: 'Write the summary like "List API keys"',
    },
    {
      what: 'a summary in lower case',
      file: 'paths/webhooks.yaml',
      change: swap('summary: List webhooks', 'summary: list webhooks'),
      says: 'Write the summary like "List API keys"',
    },
    {
      what: 'a summary with a full stop',
      file: 'webhooks/agent.failed.yaml',
      change: (text) => text.replace(/summary: (.*)/, 'summary: $1.'),
      says: 'Write the summary like "List API keys"',
    },
  ],
  'rule/description': [
    {
      what: 'a description that is no sentence',
      file: 'paths/agents_{agent_id}_logs.yaml',
      change: (text) => text.replace(/description: \|\n( {4}.*\n|\n)+/, 'description: Logs\n'),
      says: 'at least one full sentence',
    },
  ],
  'contract/extensions-complete': [
    {
      what: 'the mark without the header',
      file: 'paths/keys.yaml',
      change: swap('    - $ref: ../parameters/IdempotencyKey.yaml\n', '    []\n'),
      says: 'x-idempotent is true; refer to parameters/IdempotencyKey.yaml',
    },
    {
      what: 'the header without the mark',
      file: 'paths/webhooks.yaml',
      change: swap('  x-idempotent: true\n', ''),
      says: 'mark it with x-idempotent: true',
    },
    {
      what: 'an idempotent operation without 422',
      file: 'paths/agents_{agent_id}_deployments.yaml',
      change: swap("    '422':\n      $ref: ../responses/IdempotencyMismatch.yaml\n", ''),
      says: 'must declare the response 422',
    },
    {
      what: 'a success that does not tell a replay',
      file: 'responses/ApiKeyCreated.yaml',
      change: (text) => text.replace(/ {2}Idempotency-Replayed:\n.*\n/, ''),
      blamed: 'paths/keys.yaml',
      says: 'The response 201 must declare the header Idempotency-Replayed',
    },
    {
      what: 'an idempotent operation that is no POST',
      file: 'paths/keys.yaml',
      change: (text) => text.replace(/^get:/m, 'put:').replace(/^post:/m, 'patch:'),
      says: 'x-idempotent is for POST only',
    },
    {
      what: 'the mark for one-time codes without the header',
      file: 'paths/agents_{agent_id}.yaml',
      change: swap('    - $ref: ../parameters/MfaCode.yaml\n', '    []\n'),
      says: 'refer to parameters/MfaCode.yaml or remove the mark',
    },
    {
      what: 'the header for one-time codes without the mark',
      file: 'paths/agents_{agent_id}.yaml',
      change: swap('  x-mfa: delete\n', ''),
      says: 'The operation takes X-MFA-Code',
    },
  ],
};
