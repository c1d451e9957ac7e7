/** The deployments that a chart marks: those with which production went on. */
import type { Deployment } from '../../../src/index.js';

export interface DeploymentMark {
  /** In seconds. */
  at: number;
  version: string;
}

/**
 * Only production answers invocations. Of several deployments within one bucket of the chart the last one is marked: none of the
 * values is that of a version which was rolled back at once.
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
