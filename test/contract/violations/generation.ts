/** Violations that `npm run generate` itself must reject. */

import { type Violation, swap } from './violation.js';

export interface GenerationViolation extends Violation {
  /** The generation step that rejects it. */
  step: string;
}

export const generateCases: GenerationViolation[] = [
  {
    what: 'a broken reference',
    file: 'schemas/Agent.yaml',
    change: swap('$ref: AgentName.yaml', '$ref: AgentTitle.yaml'),
    blamed: 'schemas/Agent.yaml',
    step: 'bundle',
    says: "Can't resolve $ref: ENOENT",
  },
  {
    what: 'a file that is not YAML',
    file: 'schemas/Agent.yaml',
    change: (text) => `${text}\n  - [`,
    blamed: 'schemas/Agent.yaml',
    step: 'bundle',
    says: 'Failed to parse',
  },
  {
    what: 'two operations of one name',
    file: 'paths/keys.yaml',
    change: swap('operationId: listApiKeys', 'operationId: createApiKey'),
    step: 'operations',
    says: 'POST /v1/keys and GET /v1/keys share the operationId createApiKey; rename one of them.',
  },
  {
    what: 'an operation without a permission',
    file: 'paths/keys.yaml',
    change: swap('- apiKey: [manage]', '- apiKey: []'),
    step: 'operations',
    says: 'GET /v1/keys must name exactly one permission in its security requirement',
  },
  {
    what: 'error codes without a status',
    file: 'schemas/ErrorCode.yaml',
    change: swap('x-http-status:', 'x-http-statuses:'),
    step: 'operations',
    says: 'schemas/ErrorCode.yaml must map each code to its status under x-http-status.',
  },
  {
    what: 'a manifest with a keyword that does not exist',
    file: 'agent-manifest.yaml',
    change: swap('additionalProperties: false', 'additionalPropertys: false'),
    step: 'manifest',
    says: 'agent-manifest.yaml does not compile as a strict JSON Schema: strict mode: unknown keyword',
  },
];
