/** Runs the built service on its own durable PostgreSQL, with accounts created by the operator's command line. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { type ScratchCluster, startScratchCluster } from '../../db/scratch.js';
import { runNode } from '../../lib/child.js';
import { Failure } from '../../lib/failure.js';
import { type Server, startServer } from './servers.js';

export interface Tenant {
  accountId: string;
  agentId: string;
  headers: { authorization: string };
}

export interface TenantOptions {
  agents?: number;
  /** The manifest of the agents, without their names. */
  manifest?: object;
  /** Requests are counted, against a limit that no benchmark reaches. */
  isLimited?: boolean;
}

export interface Operator {
  /** Runs a command and returns its JSON output. `words` is split at spaces; the last arguments may contain spaces. */
  run: (words: string, ...last: string[]) => Promise<unknown>;
  /** Creates an account of the largest tier, whose requests are unlimited unless they are to be counted. */
  newTenant: (options?: TenantOptions) => Promise<Tenant>;
}

export interface Installation extends Operator {
  cluster: ScratchCluster;
  /** Starts a program, by default the service. It stops with the installation. */
  start: (environment?: NodeJS.ProcessEnv, program?: string[]) => Promise<Server>;
  /** Starts another PostgreSQL, which stops with the installation. */
  newCluster: () => Promise<ScratchCluster>;
}

export const service = ['dist/server/main.js'];

/** Removes everything when the work has ended or failed. */
export async function withInstallation<T>(
  work: (installation: Installation) => Promise<T>,
): Promise<T> {
  const stops: (() => Promise<unknown>)[] = [];
  const newCluster = async () => {
    const cluster = await startScratchCluster({ durable: true });
    stops.unshift(() => cluster.stop());
    return cluster;
  };
  try {
    const dataDir = await temporaryFolder();
    stops.unshift(() => rm(dataDir, { recursive: true, force: true }));
    const cluster = await newCluster();
    const common = {
      DATABASE_URL: cluster.url,
      SECRETS_KEY: randomBytes(32).toString('base64'),
      DATA_DIR: dataDir,
      PORT: '0',
      LAME_DUCK_MS: '0',
    };
    const start: Installation['start'] = async (environment = {}, program = service) => {
      const server = await startServer(program, { ...common, ...environment });
      stops.unshift(() => server.stop());
      return server;
    };
    return await work({ cluster, start, newCluster, ...operatorOf(common) });
  } finally {
    for (const stop of stops) await stop();
  }
}

export function temporaryFolder(): Promise<string> {
  return mkdtemp(path.join(tmpdir(), 'agent-hosting-bench-'));
}

export function operatorOf(environment: { DATA_DIR: string }): Operator {
  const run: Operator['run'] = async (words, ...last) => {
    const args = [...words.split(' '), ...last];
    const { code, stdout, stderr } = await runNode(
      ['dist/server/operator/main.js', ...args, '--json'],
      { env: environment },
    );
    if (code !== 0) throw new Failure(`operator ${args.join(' ')} failed:\n${stderr}`);
    return JSON.parse(stdout) as unknown;
  };
  return {
    run,
    newTenant: async ({
      agents = 1,
      manifest = { model: 'builtin/echo' },
      isLimited = false,
    } = {}) => {
      const account = `bench-${randomBytes(6).toString('hex')}`;
      const file = path.join(environment.DATA_DIR, `${account}.yaml`);
      const manifests = Array.from({ length: agents }, (_, n) => ({
        name: `agent-${n}`,
        ...manifest,
      }));
      await writeFile(file, manifests.map((one) => stringify(one)).join('---\n'));
      const { id: accountId } = (await run('accounts create --tier enterprise', account)) as {
        id: string;
      };
      const burst = isLimited ? '1000000' : 'unlimited';
      await run(`accounts set-cap --account ${account} ${account} burst`, burst);
      const applied = await run(`agents apply --account ${account} -f`, file);
      // The output is a list if there are several agents.
      const [agent] = [applied].flat() as { id: string }[];
      const created = await run('keys create --name bench --role admin --account', account);
      const { key } = created as { key: string };
      return { accountId, agentId: agent?.id ?? '', headers: { authorization: `Bearer ${key}` } };
    },
  };
}
