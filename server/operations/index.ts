/** Every operation of the contract. A missing one is a compile error. */
import { agentOperations } from './agents.js';
import type { OperationContext } from './context.js';
import type { Operations } from '../contract/operations.js';
import { deploymentOperations } from './deployments.js';
import { invokeOperations } from './invoke.js';
import { keyOperations } from './keys.js';
import { logOperations } from './logs.js';
import { memoryOperations } from './memory.js';
import { metricOperations } from './metrics.js';
import type { Services } from './services.js';
import { webhookOperations } from './webhooks.js';

export function createOperations(services: Services): Operations<OperationContext> {
  return {
    ...agentOperations(services),
    ...deploymentOperations(services),
    ...invokeOperations(services),
    ...keyOperations(services),
    ...logOperations(services),
    ...memoryOperations(services),
    ...metricOperations(services),
    ...webhookOperations(services),
  };
}
