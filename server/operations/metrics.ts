/** The operation on metrics. */
import { getMetrics } from '../domain/metrics.js';
import type { OperationContext } from './context.js';
import type { Operations } from '../contract/operations.js';
import { ok } from '../contract/response.js';
import type { Services } from './services.js';

export function metricOperations({ database }: Services) {
  return {
    getMetrics: async ({ path, query }, { caller }) =>
      ok(await getMetrics(database, caller, path.agent_id, query)),
  } satisfies Partial<Operations<OperationContext>>;
}
