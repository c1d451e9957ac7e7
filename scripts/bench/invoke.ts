/** Invocations per second with builtin/echo, everything durable, beside a bare express server with one INSERT each. */
import { operations } from '../../generated/operations.js';
import { contest, printRow, printTitles, ratioOf, rounds } from './lib/contest.js';
import { measure } from './lib/programs.js';
import { onStage } from './lib/stage.js';
import { newTenant, requestsPerRound } from './lib/tenant.js';

const common = {
  method: 'POST',
  connections: 32,
  milliseconds: 4_000,
  maxRequests: requestsPerRound,
  body: JSON.stringify({ message: 'Where is my order 5512?' }),
};
const json = { 'content-type': 'application/json' };
const targets = { throughput: 0.6, p99: 4 };

export async function benchInvoke(): Promise<void> {
  await onStage(async ({ database, databaseUrl, secrets, start, startService }) => {
    const bareUrl = await start(['scripts/bench/invoke/bare-server.ts', databaseUrl]);
    const serviceUrl = await startService();
    const bare = () => measure({ ...common, url: bareUrl, headers: json });
    const service = async () => {
      // One agent takes all of the load of a round.
      const { agentId, headers } = await newTenant(database, secrets);
      const path = operations.invokeAgent.path.replace('{agent_id}', agentId);
      const all = { ...headers, ...json };
      return measure({ ...common, url: `${serviceUrl}${path}`, headers: all });
    };
    console.log(
      `${common.connections} connections, median of ${rounds} rounds in turn, waiting for the disk, the service logging every request`,
    );
    const pairs = await contest(bare, service);
    printTitles('one INSERT', 'invocation');
    printRow({ title: 'Invoke Agent', pairs, target: targets.throughput });
    console.log(`p99 ${ratioOf(pairs, 'p99').toFixed(2)} times as long (below ${targets.p99})`);
  });
}
