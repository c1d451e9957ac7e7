/** Requests per second of Get Agent and List Agents beside a bare express server that runs the same queries. */
import { operations } from '../../generated/operations.js';
import { contest, printRow, printTitles, rounds } from './lib/contest.js';
import type { LoadResult } from './lib/load.js';
import { measure } from './lib/programs.js';
import { onStage, type Stage } from './lib/stage.js';
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
  await onStage(async (stage) => {
    const cases = await prepare(stage);
    console.log(
      `${common.connections} connections, median of ${rounds} rounds in turn, the service logging every request`,
    );
    printTitles('bare', 'service');
    for (const { title, bare, service, target } of cases) {
      printRow({ title, pairs: await contest(bare, service), target });
    }
  });
}

async function prepare({
  database,
  databaseUrl,
  secrets,
  start,
  startService,
}: Stage): Promise<Case[]> {
  const fixed = await newTenant(database, secrets, agentsPerAccount);
  const bareUrl = await start(['scripts/bench/http/bare-server.ts', databaseUrl, fixed.accountId]);
  const serviceUrl = await startService();
  const loadBare = (path: string) => measure({ ...common, url: `${bareUrl}${path}`, headers: {} });
  const loadService = async (path: (agentId: string) => string) => {
    const { agentId, headers } = await newTenant(database, secrets, agentsPerAccount);
    return measure({ ...common, url: `${serviceUrl}${path(agentId)}`, headers });
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
