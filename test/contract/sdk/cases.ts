/** How each operation is driven. One that is missing here does not compile. */
import type { OperationId } from '../../../generated/operations.js';
import { accessCases } from './access.js';
import { agentsCases } from './agents.js';
import type { Case } from './case.js';
import { deploymentsCases } from './deployments.js';
import { observingCases } from './observing.js';

export const sdkCases: Record<OperationId, Case[]> = {
  ...agentsCases,
  ...deploymentsCases,
  ...observingCases,
  ...accessCases,
};
