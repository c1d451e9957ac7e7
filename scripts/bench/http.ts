/** Requests per second of Get Agent and List Agents, compared with a bare express server that runs the same queries. */
import { operations } from '../../generated/operations.js';
import { compare, printHeader, printRow, rounds } from './lib/compare.js';
import { type BenchEnvironment, withEnvironment } from './lib/environment.js';
import type { LoadResult } from './lib/load.js';
import { runLoad } from './lib/programs.js';
import { newTenant, requestsPerRound } from './lib/tenant.js';

const common = {
  method: 'GET',
  connections: 32,
  milliseconds: 3_000,
  maxRequests: requestsPerRound,
};
const agentsPerAccount = 50;

interface Case {
  title: string;
  bare: () => Promise<LoadResult>;
  service: () => Promise<LoadResult>;
  target: number | undefined;
}

export async function benchHttp(): Promise<void> {
  await withEnvironment(async (environment) => {
    const cases = await prepare(environment);
    console.log(
      `${common.connections} connections, median of ${rounds} alternating rounds, the service logs every request`,
    );
    printHeader('bare', 'service');
    for (const { title, bare, service, target } of cases) {
      printRow({ title, pairs: await compare(bare, service), target });
    }
  });
}

async function prepare(environment: BenchEnvironment): Promise<Case[]> {
  const { database, databaseUrl, secrets, start, startService } = environment;
  const fixed = await newTenant(database, secrets, agentsPerAccount);
  const bareUrl = await start(['scripts/bench/http/bare-server.ts', databaseUrl, fixed.accountId]);
  const serviceUrl = await startService();
  const loadBare = (path: string) => runLoad({ ...common, url: `${bareUrl}${path}`, headers: {} });
  const loadService = async (path: (agentId: string) => string) => {
    const { agentId, headers } = await newTenant(database, secrets, agentsPerAccount);
    return runLoad({ ...common, url: `${serviceUrl}${path(agentId)}`, headers });
  };
  return [
    {
      title: 'Get Agent',
      bare: () => loadBare(`/agents/${fixed.agentId}`),
      service: () => loadService((id) => operations.getAgent.path.replace('{agent_id}', id)),
      target: 0.7,
    },
    {
      title: 'List Agents',
      bare: () => loadBare('/agents'),
      service: () => loadService(() => operations.listAgents.path),
      target: undefined,
    },
  ];
}
