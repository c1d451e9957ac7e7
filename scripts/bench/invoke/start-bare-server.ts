/** Starts the baseline of the invoke benchmark, with a cluster of its own. */
import type { BenchEnvironment } from '../lib/environment.js';

export async function startBareServer({ newCluster, start }: BenchEnvironment): Promise<string> {
  const cluster = await newCluster();
  return start(['scripts/bench/invoke/bare-server.ts', cluster.url], {}, cluster);
}
