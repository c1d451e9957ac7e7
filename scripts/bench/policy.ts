/** Requests per second of Get Agent with every security setting on, beside an agent with none; both over mutual TLS. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { operations } from '../../generated/operations.js';
import { createAuthority } from '../../test/helpers/certificates.js';
import { contest, printRow, printTitles, rounds } from './lib/contest.js';
import type { Load, LoadResult } from './lib/load.js';
import { measure } from './lib/programs.js';
import { onStage, type Stage } from './lib/stage.js';
import { newTenant, requestsPerRound } from './lib/tenant.js';

const target = 0.8;
const common = {
  method: 'GET',
  connections: 32,
  milliseconds: 3_000,
  maxRequests: requestsPerRound,
};

type Tls = NonNullable<Load['tls']>;

export async function benchPolicy(): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'agent-hosting-bench-'));
  try {
    await onStage((stage) => compareStores(stage, folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function compareStores(stage: Stage, folder: string): Promise<void> {
  const { environment, policy, tls } = await prepareFiles(folder);
  console.log(
    `${common.connections} connections over mutual TLS, median of ${rounds} rounds in turn`,
  );
  printTitles('no setting', 'all of them');
  for (const store of ['memory', 'postgres']) {
    const url = await stage.startService({ ...environment, RATE_LIMIT_STORE: store });
    const load = loader(stage, url, tls);
    const pairs = await contest(
      () => load({}),
      () => load(policy),
    );
    printRow({ title: `limits in ${store}`, pairs, target });
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

function loader(
  { database, secrets }: Stage,
  url: string,
  tls: Tls,
): (policy: object) => Promise<LoadResult> {
  return async (policy) => {
    const { agentId, headers } = await newTenant(database, secrets);
    await database.prisma.agent.update({ where: { id: agentId }, data: { policy } });
    const address = operations.getAgent.path.replace('{agent_id}', agentId);
    return measure({ ...common, url: `${url}${address}`, headers, tls });
  };
}
