/** Requests per second of Get Agent and List Agents beside a bare express server that runs the same queries. */
import { randomBytes } from 'node:crypto';
import { operations } from '../../generated/operations.js';
import { createSecrets, type Secrets } from '../../server/lib/crypto.js';
import { type Database, openDatabase } from '../../server/store/database.js';
import { migrate } from '../../server/store/migrate.js';
import { startScratchCluster } from '../db/scratch.js';
import type { LoadResult } from './lib/load.js';
import { buildServer, createPrograms, measure, median } from './lib/programs.js';
import { newTenant, requestsPerRound } from './lib/tenant.js';

const rounds = 7;
const common = {
  method: 'GET',
  connections: 32,
  milliseconds: 3_000,
  maxRequests: requestsPerRound,
};
const agentsPerAccount = 50;

interface Contest {
  title: string;
  bare: () => Promise<LoadResult>;
  service: () => Promise<LoadResult>;
  target: number | undefined;
}

export async function benchHttp(): Promise<void> {
  await buildServer();
  const cluster = await startScratchCluster({ durable: true });
  const programs = createPrograms();
  const masterKey = randomBytes(32);
  try {
    await migrate({ url: cluster.url });
    const database = await openDatabase({
      url: cluster.url,
      poolSize: 2,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 30_000,
    });
    try {
      const contests = await prepare(database, createSecrets(masterKey), {
        startBare: (accountId) =>
          programs.start(['scripts/bench/http/bare-server.ts', cluster.url, accountId], {
            NODE_ENV: 'production',
          }),
        startService: () =>
          programs.start(['dist/server/main.js'], {
            NODE_ENV: 'production',
            DATABASE_URL: cluster.url,
            SECRETS_KEY: masterKey.toString('base64'),
            // As with the embedded database, which this one is but for its address.
            RATE_LIMIT_STORE: 'memory',
            PORT: '0',
          }),
      });
      console.log(
        `${common.connections} connections, median of ${rounds} rounds in turn, the service logging every request`,
      );
      console.log('                bare/s   p50 ms   p99 ms   service/s   p50 ms   p99 ms   ratio');
      for (const contest of contests) await hold(contest);
    } finally {
      await database.close();
    }
  } finally {
    await programs.stop();
    await cluster.stop();
  }
}

interface Starters {
  startBare: (accountId: string) => Promise<string>;
  startService: () => Promise<string>;
}

async function prepare(
  database: Database,
  secrets: Secrets,
  { startBare, startService }: Starters,
): Promise<Contest[]> {
  const fixed = await newTenant(database, secrets, agentsPerAccount);
  const bareUrl = await startBare(fixed.accountId);
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

/** In turn, so that whatever else the machine does meets both alike. */
async function hold({ title, bare, service, target }: Contest): Promise<void> {
  await bare();
  await service();
  const pairs: { bare: LoadResult; service: LoadResult }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    pairs.push({ bare: await bare(), service: await service() });
  }
  const figures = (results: LoadResult[]) =>
    [
      median(results.map(({ perSecond }) => perSecond)).toFixed(0),
      median(results.map(({ p50 }) => p50)).toFixed(1),
      median(results.map(({ p99 }) => p99)).toFixed(1),
    ].map((text) => text.padStart(9));
  const ratio = median(pairs.map((pair) => pair.service.perSecond / pair.bare.perSecond));
  const goal = target === undefined ? '' : `  (at least ${target})`;
  console.log(
    [
      title.padEnd(13),
      ...figures(pairs.map((pair) => pair.bare)),
      '   ',
      ...figures(pairs.map((pair) => pair.service)),
      `    ${ratio.toFixed(2)}${goal}`,
    ].join(''),
  );
}
