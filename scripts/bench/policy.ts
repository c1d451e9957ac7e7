/** Requests per second of Get Agent with every security setting on, beside an agent with none; both over mutual TLS. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { operations } from '../../generated/operations.js';
import { createSecrets, type Secrets } from '../../server/lib/crypto.js';
import { type Database, openDatabase } from '../../server/store/database.js';
import { migrate } from '../../server/store/migrate.js';
import { createAuthority } from '../../test/helpers/certificates.js';
import { startScratchCluster } from '../db/scratch.js';
import type { Load, LoadResult } from './lib/load.js';
import { createPrograms, measure, median } from './lib/programs.js';
import { newTenant, requestsPerRound } from './lib/tenant.js';

const rounds = 7;
const target = 0.8;
const common = {
  method: 'GET',
  connections: 32,
  milliseconds: 3_000,
  maxRequests: requestsPerRound,
};

type Tls = NonNullable<Load['tls']>;

export async function benchPolicy(): Promise<void> {
  const cluster = await startScratchCluster({ durable: true });
  const programs = createPrograms();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'agent-hosting-bench-'));
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
      const { environment, policy, tls } = await prepareFiles(folder);
      console.log(
        `${common.connections} connections over mutual TLS, median of ${rounds} rounds in turn`,
      );
      console.log(
        '                     none/s   p50 ms   p99 ms   all on/s   p50 ms   p99 ms   ratio',
      );
      for (const store of ['memory', 'postgres']) {
        const url = await programs.start(['server/main.ts'], {
          ...environment,
          NODE_ENV: 'production',
          DATABASE_URL: cluster.url,
          SECRETS_KEY: masterKey.toString('base64'),
          RATE_LIMIT_STORE: store,
          PORT: '0',
        });
        const load = loader({ database, secrets: createSecrets(masterKey), url, tls });
        await compare(
          `limits in ${store}`,
          () => load({}),
          () => load(policy),
        );
      }
    } finally {
      await database.close();
    }
  } finally {
    await programs.stop();
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** What the service listens with, the settings of the agent, and what its clients come with. */
async function prepareFiles(folder: string) {
  const write = async (name: string, content: string) => {
    await writeFile(path.join(folder, name), content);
    return path.join(folder, name);
  };
  const servers = createAuthority('Servers');
  const server = servers.issue({ name: 'service', hosts: ['127.0.0.1'] });
  const clients = createAuthority('Clients');
  const between = clients.delegate({ name: 'Clients of one department' });
  const client = between.issue({ name: 'client', isAuthority: false });
  const tls: Tls = { ca: servers.cert, cert: client.cert + between.cert, key: client.key };
  const others = Array.from({ length: 99 }, (_, index) => `198.51.${index}.0/24`);
  const secret = await write('secret', randomBytes(48).toString('base64'));
  return {
    tls,
    environment: {
      TLS_CERT: await write('cert.pem', server.cert),
      TLS_KEY: await write('key.pem', server.key),
    },
    policy: {
      auth: { type: 'jwt', secret: `\${file:${secret}}`, roles: ['viewer'] },
      security: {
        enforceHttps: true,
        hsts: { enabled: true, maxAge: 31_536_000 },
        ipWhitelist: { enabled: true, addresses: [...others, '127.0.0.0/8'] },
        mtls: { enabled: true, caCert: await write('clients.pem', clients.cert) },
        rateLimit: { enabled: true, requests: 1_000_000, window: '1m' },
      },
      mfa: { enabled: true, operations: ['update', 'delete'] },
    },
  };
}

interface Scene {
  database: Database;
  secrets: Secrets;
  url: string;
  tls: Tls;
}

function loader({ database, secrets, url, tls }: Scene): (policy: object) => Promise<LoadResult> {
  return async (policy) => {
    const { agentId, headers } = await newTenant(database, secrets);
    await database.prisma.agent.update({ where: { id: agentId }, data: { policy } });
    const address = operations.getAgent.path.replace('{agent_id}', agentId);
    return measure({ ...common, url: `${url}${address}`, headers, tls });
  };
}

/** In turn, so that whatever else the machine does meets both alike. */
async function compare(
  title: string,
  without: () => Promise<LoadResult>,
  withPolicy: () => Promise<LoadResult>,
): Promise<void> {
  await without();
  await withPolicy();
  const pairs: { without: LoadResult; withPolicy: LoadResult }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    pairs.push({ without: await without(), withPolicy: await withPolicy() });
  }
  const figures = (results: LoadResult[]) =>
    [
      median(results.map(({ perSecond }) => perSecond)).toFixed(0),
      median(results.map(({ p50 }) => p50)).toFixed(1),
      median(results.map(({ p99 }) => p99)).toFixed(1),
    ].map((text) => text.padStart(9));
  const ratio = median(pairs.map((pair) => pair.withPolicy.perSecond / pair.without.perSecond));
  console.log(
    [
      title.padEnd(18),
      ...figures(pairs.map((pair) => pair.without)),
      '  ',
      ...figures(pairs.map((pair) => pair.withPolicy)),
      `    ${ratio.toFixed(2)}  (at least ${target})`,
    ].join(''),
  );
}
