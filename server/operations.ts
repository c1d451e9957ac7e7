/** Every operation of the contract, noun by noun. A missing one is a compile error. */
import type { Operations } from './contract/operations.js';
import { getAgent } from './agents/agents.js';
import type { FindAgent } from './accounts/caller.js';
import { agentOperations } from './agents/operations.js';
import type { OperationContext } from './accounts/operation-context.js';
import { deploymentOperations } from './deployments/operations.js';
import { invokeOperations } from './invocations/operations.js';
import { keyOperations } from './keys/operations.js';
import { logOperations } from './logs/operations.js';
import { memoryOperations } from './memory/operations.js';
import { metricOperations } from './metrics/operations.js';
import { webhookOperations } from './webhooks/operations.js';
import { describeSchedules } from './schedules/schedules.js';
import { deleteWaitingInvocations } from './invocations/waiting.sql.js';

type OperationParts = Omit<
  Parameters<typeof agentOperations>[0],
  'deleteWaiting' | 'describeSchedules'
> &
  Parameters<typeof deploymentOperations>[0] &
  Parameters<typeof invokeOperations>[0] &
  Parameters<typeof keyOperations>[0] &
  Parameters<typeof memoryOperations>[0] &
  Parameters<typeof webhookOperations>[0];

export function createOperations(parts: OperationParts): Operations<OperationContext> {
  const findAgent: FindAgent = (caller, reference) => getAgent(parts.database, caller, reference);
  return {
    ...agentOperations({
      ...parts,
      deleteWaiting: deleteWaitingInvocations,
      describeSchedules,
    }),
    ...deploymentOperations(parts),
    ...invokeOperations(parts),
    ...keyOperations(parts),
    ...logOperations({ ...parts, findAgent }),
    ...memoryOperations(parts),
    ...metricOperations({ ...parts, findAgent }),
    ...webhookOperations(parts),
  };
}
