/** The deployments that a chart marks. */
import type { Deployment } from '../../../src/index.js';

export interface DeploymentMark {
  /** In seconds. */
  at: number;
  version: string;
}

/**
 * Those of the environment whose invocations the chart shows. Within one bucket of the chart only the last one is marked, so that a version
 * that was rolled back at once is not shown.
 */
export function deploymentMarks(
  deployments: readonly Deployment[],
  environment: string,
  bucketSeconds: number,
): DeploymentMark[] {
  const marks = new Map<number, DeploymentMark>();
  const shown = deployments
    .filter((deployment) => deployment.environment === environment)
    .map(({ activated_at, version }) => ({ at: Date.parse(activated_at) / 1_000, version }))
    .sort((one, other) => one.at - other.at);
  for (const mark of shown) marks.set(Math.floor(mark.at / bucketSeconds), mark);
  return [...marks.values()];
}
