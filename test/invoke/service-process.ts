/** The service as a process of its own, which a test may kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type Api, apiClient } from '../helpers/api.js';
import { testSecretsKey } from '../helpers/service.js';
import { root } from '../helpers/workspace.js';

export interface ServiceProcess {
  url: string;
  api: (key: string) => Api;
  /** As with kill -9: it gets no chance to clean up. Resolves when it is gone. */
  kill: () => Promise<void>;
}

export async function startProcess(
  databaseUrl: string,
  environment: Record<string, string>,
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'server/main.ts'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
      SECRETS_KEY: testSecretsKey.toString('base64'),
      PORT: '0',
      LOG_LEVEL: 'warn',
      WORKER: 'off',
      ALLOW_PRIVATE_TARGETS: 'true',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await addressIn(child);
  return {
    url,
    api: (key) => apiClient(url, key),
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

async function addressIn(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('The process has no output.');
  for await (const line of createInterface({ input: child.stdout })) {
    const [, ready, first] = /ready at (http:\S+)|API +(http:\S+)\/v1/.exec(line) ?? [];
    const url = ready ?? first;
    if (url !== undefined) {
      child.stdout.resume();
      return url;
    }
  }
  throw new Error('The service ended before it was ready.');
}
