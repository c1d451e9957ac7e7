/** Violations that break generated clients or give them poor names; the custom rules must find them, by rule. */

import { type ViolationsByRule, swap } from './violation.js';

export const generatorCases: ViolationsByRule = {
  'contract/nullables': [
    {
      what: 'a null alone',
      file: 'schemas/CreatedWebhook.yaml',
      change: (text) => text.replace(/oneOf:\n *- \$ref: WebhookDelivery.yaml\n *- /, ''),
      says: 'A null alone has no type in most languages',
    },
    {
      what: 'a component that may be null',
      file: 'schemas/KeyPreview.yaml',
      change: swap('type: string', "type: [string, 'null']"),
      says: 'The component KeyPreview may be null',
    },
    {
      what: 'a component that is null or another',
      file: 'schemas/LogId.yaml',
      change: () => "oneOf:\n  - $ref: RequestId.yaml\n  - type: 'null'\n",
      says: 'The component LogId may be null',
    },
  ],
  'contract/component-names': [
    {
      what: 'a parameter with the name of a schema',
      file: 'openapi.yaml',
      change: swap(
        'components:\n',
        'components:\n  parameters:\n    AgentName:\n      $ref: parameters/AgentNameFilter.yaml\n' +
          '  schemas:\n    AgentNameFilter:\n      type: boolean\n',
      ),
      says: 'AgentNameFilter names a',
    },
  ],
  'contract/int64': [
    {
      what: 'an integer over 2³¹ without a format',
      file: 'schemas/MemoryClearing.yaml',
      change: swap('    format: int64\n', ''),
      says: 'This integer does not fit into 32 bits',
    },
  ],
  'contract/named-objects': [
    {
      what: 'an object without a name',
      file: 'schemas/AgentFailedEvent.yaml',
      change: swap(
        '$ref: AgentFailure.yaml',
        'type: object\n    additionalProperties: true\n    properties:\n      error:\n        $ref: InvocationFailure.yaml',
      ),
      says: 'An object without a name',
    },
  ],
  'contract/enum-names': [
    {
      what: 'values that are no names',
      file: 'parameters/WebhookSort.yaml',
      change: (text) => text.replace(/ {2}x-enum-varnames: .*\n/, ''),
      says: '-created_at cannot be a name in a program',
    },
    {
      what: 'fewer names than values',
      file: 'parameters/DeploymentSort.yaml',
      change: swap(', VERSION_DESC]', ']'),
      says: 'x-enum-varnames has 3 names for 4 values',
    },
    {
      what: 'a name that is written in another way',
      file: 'schemas/Granularity.yaml',
      change: swap('ONE_DAY', 'oneDay'),
      says: 'x-enum-varnames has oneDay',
    },
    {
      what: 'one name for two values',
      file: 'schemas/EventType.yaml',
      change: swap('AGENT_FAILED', 'AGENT_COMPLETED'),
      says: 'x-enum-varnames has a name twice',
    },
    {
      what: 'one name for values of two enumerations',
      file: 'schemas/MetricName.yaml',
      change: swap('token_usage]', 'tokens]'),
      blamed: 'schemas/MetricUnit.yaml',
      says: 'TOKENS is a value of MetricName too',
    },
  ],
  'contract/constants': [
    {
      what: 'a boolean constant',
      file: 'schemas/WebhookDeletion.yaml',
      change: swap('    not:\n      const: false\n', '    const: true\n'),
      says: 'A boolean that is always true; write type: boolean and not: { const: false }.',
    },
    {
      what: 'a constant without a type',
      file: 'schemas/InvocationDoneEvent.yaml',
      change: swap('    type: string\n', ''),
      says: 'A constant also needs its type',
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
};
