/** Requests per second of Get Agent with every security setting, compared with an agent without any; both over mutual TLS. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createAuthority } from '../../test/helpers/certificates.js';
import { compare, type Compared } from './lib/compare.js';
import type { BenchContext } from './lib/context.js';
import { type BenchEnvironment, withEnvironment } from './lib/environment.js';
import type { Load } from './lib/load.js';
import { connections, get, pathOf } from './lib/loads.js';
import { targets } from './lib/targets.js';
import { newTenant } from './lib/tenant.js';

type Tls = NonNullable<Load['tls']>;

export async function benchPolicy(context: BenchContext): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'agent-hosting-bench-'));
  try {
    await withEnvironment((environment) => compareStores(environment, context, folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function compareStores(
  bench: BenchEnvironment,
  { rounds = 7, report }: BenchContext,
  folder: string,
): Promise<void> {
  const { environment, policy, tls } = await prepareFiles(folder);
  for (const store of ['memory', 'postgres']) {
    const url = await bench.startService({ ...environment, RATE_LIMIT_STORE: store });
    const contenders: Compared[] = [
      { title: 'no setting', url, load: () => newLoad(bench, url, tls, {}) },
      {
        title: 'all settings',
        url,
        load: () => newLoad(bench, url, tls, policy),
        base: 'no setting',
        goals: { perSecond: targets.policy },
      },
    ];
    const title = `Get Agent with security settings, limits in ${store}`;
    const note = `${connections} connections over mutual TLS`;
    report(await compare(bench, contenders, { title, note, rounds }));
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

async function newLoad(
  { database, secrets }: BenchEnvironment,
  url: string,
  tls: Tls,
  policy: object,
): Promise<Load> {
  const { agentId, headers } = await newTenant(database, secrets);
  await database.prisma.agent.update({ where: { id: agentId }, data: { policy } });
  return { ...get(url + pathOf('getAgent', agentId), headers), tls };
}
