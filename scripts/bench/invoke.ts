/** Invocations per second of builtin/echo, all durable, compared with a bare express server with one INSERT each. */
import { operations } from '../../generated/operations.js';
import { compare, medianRatio, printHeader, printRow, rounds } from './lib/compare.js';
import { withEnvironment } from './lib/environment.js';
import { runLoad } from './lib/programs.js';
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
  await withEnvironment(async ({ database, databaseUrl, secrets, start, startService }) => {
    const bareUrl = await start(['scripts/bench/invoke/bare-server.ts', databaseUrl]);
    const serviceUrl = await startService();
    const bare = () => runLoad({ ...common, url: bareUrl, headers: json });
    const service = async () => {
      // One agent receives the whole load of a round.
      const { agentId, headers } = await newTenant(database, secrets);
      const path = operations.invokeAgent.path.replace('{agent_id}', agentId);
      return runLoad({ ...common, url: `${serviceUrl}${path}`, headers: { ...headers, ...json } });
    };
    console.log(
      `${common.connections} connections, median of ${rounds} alternating rounds, commits are durable, the service logs every request`,
    );
    const pairs = await compare(bare, service);
    printHeader('one INSERT', 'invocation');
    printRow({ title: 'Invoke Agent', pairs, target: targets.throughput });
    console.log(`p99 ratio ${medianRatio(pairs, 'p99').toFixed(2)} (below ${targets.p99})`);
  });
}
