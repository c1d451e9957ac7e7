/** The operation on metrics. */
import { getMetrics, type MetricParts } from './metrics.js';
import type { OperationContext } from '../accounts/operation-context.js';
import type { Operations } from '../contract/operations.js';
import { ok } from '../contract/response.js';

export function metricOperations(parts: MetricParts) {
  return {
    getMetrics: async ({ path, query }, { caller }) =>
      ok(await getMetrics(parts, caller, path.agent_id, query)),
  } satisfies Partial<Operations<OperationContext>>;
}
