/** Requests per second of Get Agent with every security setting, compared with an agent without any; both over mutual TLS. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { operations } from '../../generated/operations.js';
import { createAuthority } from '../../test/helpers/certificates.js';
import { compare, printHeader, printRow, rounds } from './lib/compare.js';
import { type BenchEnvironment, withEnvironment } from './lib/environment.js';
import type { Load, LoadResult } from './lib/load.js';
import { runLoad } from './lib/programs.js';
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
    await withEnvironment((environment) => compareStores(environment, folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function compareStores(bench: BenchEnvironment, folder: string): Promise<void> {
  const { environment, policy, tls } = await prepareFiles(folder);
  console.log(
    `${common.connections} connections over mutual TLS, median of ${rounds} alternating rounds`,
  );
  printHeader('no setting', 'all settings');
  for (const store of ['memory', 'postgres']) {
    const url = await bench.startService({ ...environment, RATE_LIMIT_STORE: store });
    const load = createLoad(bench, url, tls);
    const pairs = await compare(
      () => load({}),
      () => load(policy),
    );
    printRow({ title: `limits in ${store}`, pairs, target });
  }
}

/** The server's certificate, the agent's security settings, and the client's certificate. */
async function prepareFiles(folder: string) {
  const write = async (name: string, content: string) => {
    await writeFile(path.join(folder, name), content);
    return path.join(folder, name);
  };
  const servers = createAuthority('Servers');
  const server = servers.issue({ name: 'service', hosts: ['127.0.0.1'] });
  const clients = createAuthority('Clients');
  const intermediate = clients.delegate({ name: 'Clients of one department' });
  const client = intermediate.issue({ name: 'client', isAuthority: false });
  const tls: Tls = { ca: servers.cert, cert: client.cert + intermediate.cert, key: client.key };
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

function createLoad(
  { database, secrets }: BenchEnvironment,
  url: string,
  tls: Tls,
): (policy: object) => Promise<LoadResult> {
  return async (policy) => {
    const { agentId, headers } = await newTenant(database, secrets);
    await database.prisma.agent.update({ where: { id: agentId }, data: { policy } });
    const agentUrl = url + operations.getAgent.path.replace('{agent_id}', agentId);
    return runLoad({ ...common, url: agentUrl, headers, tls });
  };
}
