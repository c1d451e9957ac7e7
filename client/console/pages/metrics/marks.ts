/** The deployments that a chart marks. */
import type { Deployment } from '../../../src/index.js';

export interface DeploymentMark {
  /** In seconds. */
  at: number;
  version: string;
}

/**
 * Only deployments in production answer invocations. Within one bucket of the chart only the last one is marked, so that a version
 * that was rolled back at once is not shown.
 */
export function deploymentMarks(
  deployments: readonly Deployment[],
  bucketSeconds: number,
): DeploymentMark[] {
  const marks = new Map<number, DeploymentMark>();
  const inProduction = deployments
    .filter(({ environment }) => environment === 'production')
    .map(({ activated_at, version }) => ({ at: Date.parse(activated_at) / 1_000, version }))
    .sort((one, other) => one.at - other.at);
  for (const mark of inProduction) marks.set(Math.floor(mark.at / bucketSeconds), mark);
  return [...marks.values()];
}
