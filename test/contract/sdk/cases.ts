/** The cases of each operation. An operation without cases does not compile. */
import type { OperationId } from '../../../generated/operations.js';
import { accessCases } from './access.js';
import { agentsCases } from './agents.js';
import type { Case } from './case.js';
import { deploymentsCases } from './deployments.js';
import { observabilityCases } from './observability.js';

export const sdkCases: Record<OperationId, Case[]> = {
  ...agentsCases,
  ...deploymentsCases,
  ...observabilityCases,
  ...accessCases,
};
