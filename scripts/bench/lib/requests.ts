/** The requests that benchmarks send. */
import { type OperationId, operations } from '../../../generated/operations.js';
import type { Tenant } from './installation.js';
import type { LoadRequest } from './load.js';

export const connections = 32;

const message = 'Where is my order 5512?';

export const pathOf = (operation: OperationId, agentId = ''): string =>
  operations[operation].path.replace('{agent_id}', agentId);

/** `context` is the invocation's, `headers` are added to the tenant's. */
export function invoke(
  { agentId, headers }: Tenant,
  {
    context,
    ...more
  }: { context?: object; headers?: Record<string, string>; message?: string } = {},
): LoadRequest {
  return {
    method: 'POST',
    path: pathOf('invokeAgent', agentId),
    headers: { ...headers, ...more.headers },
    body: { message: more.message ?? message, ...(context && { context }) },
  };
}

export const insertMessage: LoadRequest = { method: 'POST', path: '/', body: { message } };
