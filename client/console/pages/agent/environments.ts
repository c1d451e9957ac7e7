/** The environments in which an agent can be invoked. */
import type { Deployment } from '../../../src/index.js';

export const production = 'production';

/** The configuration that is not deployed. */
export const draft = 'draft';

/** Production and the draft, then those with an active deployment. */
export function environmentsOf(deployments: readonly Deployment[] = []): string[] {
  const active = deployments.filter(({ status }) => status === 'active');
  const names = active.map(({ environment }) => environment).toSorted();
  return [...new Set([production, draft, ...names])];
}
