/** The contract and the route table have exactly the operations of the specification. */

import { describe, expect, test } from '@jest/globals';
import { errorStatus, operations as routes } from '../../generated/operations.js';
import { operations } from '../helpers/service/contract.js';

/** Number, operation id, method, path, permission, idempotency, as numbered in the specification. */
const specified = [
  [1, 'invokeAgent', 'post', '/v1/agents/{agent_id}/invoke', 'write', true],
  [2, 'listAgents', 'get', '/v1/agents', 'read', false],
  [3, 'getAgent', 'get', '/v1/agents/{agent_id}', 'read', false],
  [4, 'updateAgent', 'patch', '/v1/agents/{agent_id}', 'write', false],
  [5, 'deleteAgent', 'delete', '/v1/agents/{agent_id}', 'delete', false],
  [6, 'createDeployment', 'post', '/v1/agents/{agent_id}/deployments', 'write', true],
  [7, 'listDeployments', 'get', '/v1/agents/{agent_id}/deployments', 'read', false],
  [
    8,
    'rollbackDeployment',
    'post',
    '/v1/agents/{agent_id}/deployments/{deployment_id}/rollback',
    'write',
    true,
  ],
  [9, 'getLogs', 'get', '/v1/agents/{agent_id}/logs', 'read', false],
  [10, 'getMetrics', 'get', '/v1/agents/{agent_id}/metrics', 'read', false],
  [11, 'searchMemory', 'post', '/v1/agents/{agent_id}/memory/search', 'read', false],
  [12, 'clearMemory', 'delete', '/v1/agents/{agent_id}/memory', 'delete', false],
  [13, 'createWebhook', 'post', '/v1/webhooks', 'write', true],
  [14, 'listWebhooks', 'get', '/v1/webhooks', 'read', false],
  [15, 'deleteWebhook', 'delete', '/v1/webhooks/{webhook_id}', 'delete', false],
  [16, 'createApiKey', 'post', '/v1/keys', 'manage', true],
  [17, 'listApiKeys', 'get', '/v1/keys', 'manage', false],
  [18, 'revokeApiKey', 'delete', '/v1/keys/{key_id}', 'manage', false],
] as const;

const expected = specified.map(([, operationId, method, path, permission, idempotent]) => ({
  operationId,
  method,
  path,
  permission,
  idempotent,
}));

function byId<T extends { operationId: string }>(items: T[]): T[] {
  return items.toSorted((a, b) => a.operationId.localeCompare(b.operationId));
}

describe('the operations', () => {
  test('of the contract are those of the specification listed above', () => {
    const found = operations.map(({ operationId, method, path, permission, idempotent }) => ({
      operationId,
      method,
      path,
      permission,
      idempotent,
    }));
    expect(byId(found)).toEqual(byId(expected));
  });

  test('of the route table are those of the contract, in the same order', () => {
    const table = Object.entries(routes).map(([key, route]) => ({ key, ...route }));
    expect(table).toEqual(
      operations.map((operation) => ({
        key: operation.operationId,
        operationId: operation.operationId,
        method: operation.method,
        path: operation.path,
        tag: operation.tag,
        permission: operation.permission,
        idempotent: operation.idempotent,
        mfa: operation.mfa,
        hasBody: operation.requests.length > 0,
        streams: operation.operationId === 'invokeAgent',
        statuses: [...new Set(operation.responses.map(({ status }) => status))],
      })),
    );
  });

  test('have an error code for each error status', () => {
    const documented = operations.flatMap(({ responses }) => responses.map(({ status }) => status));
    const errors = new Set(documented.filter((status) => status >= 400));
    expect(new Set(Object.values(errorStatus))).toEqual(errors);
  });
});
