/** Get Agent and List Agents, beside a bare express server that runs the same queries. */
import { onMachine } from './lib/busy-cores.js';
import { compare, type Compared } from './lib/compare.js';
import type { BenchContext } from './lib/context.js';
import { type BenchEnvironment, withEnvironment } from './lib/environment.js';
import { connections, get, pathOf } from './lib/loads.js';
import { targets } from './lib/targets.js';
import { newTenant } from './lib/tenant.js';

const agentsPerAccount = 50;

export async function benchHttp({ rounds = 5, machines, report }: BenchContext): Promise<void> {
  await withEnvironment(async (environment) => {
    const contenders = await prepare(environment);
    for (const machine of machines) {
      const note = `${connections} connections, every request is logged`;
      const options = { title: `Reads on a ${machine} machine`, note, rounds };
      report(await onMachine(machine, () => compare(environment, contenders, options)));
    }
  });
}

async function prepare(environment: BenchEnvironment): Promise<Compared[]> {
  const { database, secrets, startService } = environment;
  const bare = await startBareServer(environment);
  const url = await startService();
  const tenant = () => newTenant(database, secrets, { agents: agentsPerAccount });
  return [
    {
      title: 'express: Get Agent',
      url: bare.url,
      load: () => get(`${bare.url}/agents/${bare.agentId}`),
    },
    {
      title: 'Get Agent',
      url,
      load: async () => {
        const { agentId, headers } = await tenant();
        return get(url + pathOf('getAgent', agentId), headers);
      },
      base: 'express: Get Agent',
      goals: { perSecond: targets.getAgent },
    },
    { title: 'express: List Agents', url: bare.url, load: () => get(`${bare.url}/agents`) },
    {
      title: 'List Agents',
      url,
      load: async () => get(url + pathOf('listAgents'), (await tenant()).headers),
      base: 'express: List Agents',
      goals: { perSecond: targets.listAgents },
    },
  ];
}

/** With a cluster of its own. */
async function startBareServer({ newCluster, secrets, start }: BenchEnvironment) {
  const cluster = await newCluster();
  const { accountId, agentId } = await newTenant(cluster.database, secrets, {
    agents: agentsPerAccount,
  });
  const args = ['scripts/bench/http/bare-server.ts', cluster.url, accountId];
  return { url: await start(args, {}, cluster), agentId };
}
