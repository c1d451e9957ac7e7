/** The operation on metrics. */
import { getMetrics } from '../domain/metrics.js';
import type { OperationContext } from './context.js';
import type { Operations } from './contract.js';
import { ok } from './response.js';
import type { Services } from './services.js';

export function metricOperations({ database }: Services) {
  return {
    getMetrics: async ({ path, query }, { caller }) =>
      ok(await getMetrics(database, caller, path.agent_id, query)),
  } satisfies Partial<Operations<OperationContext>>;
}
