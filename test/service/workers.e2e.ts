/** WORKERS: several processes behind one port, each of which is replaced if it dies or hangs. */
import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from '@jest/globals';
import { isAlive } from '../../server/embedded-postgres/postmaster.js';
import { dataDirectory, postgresOn } from '../helpers/database/data-directory.js';
import { eventually } from '../helpers/eventually.js';
import { type ServiceProcess, startServiceProcess } from '../helpers/programs/process.js';
import { environmentFor, useService, useTenant } from '../helpers/service/service.js';

// This service creates the accounts; the processes under test are others on its database.
const observer = useService({ WORKER: 'off', ASYNC_CONCURRENCY: '0' });
const tenant = useTenant(observer);

const timeoutMs = 120_000;
let service: ServiceProcess | undefined;

afterEach(async () => {
  await service?.end('SIGTERM');
  service = undefined;
});

async function start(environment: Record<string, string> = {}): Promise<ServiceProcess> {
  service = await startServiceProcess({
    environment: { ...environmentFor(observer), WORKERS: '2', ...environment },
  });
  return service;
}

async function workersOf({ pid }: ServiceProcess): Promise<number[]> {
  const { stdout } = await promisify(execFile)('pgrep', ['-P', String(pid)]);
  return stdout.trim().split('\n').map(Number).sort();
}

/** Waits until one worker has been replaced and the other has not. */
function replaced(running: ServiceProcess, old: number, other: number): Promise<void> {
  return eventually(async () => {
    const workers = await workersOf(running);
    expect(workers).toHaveLength(2);
    expect(workers).toContain(other);
    expect(workers).not.toContain(old);
  }, 60_000);
}

let isOver = false;

afterEach(() => {
  isOver = true;
});

/** Sends requests without a pause, on any connection, until it is told to stop or the test ends. */
function load({ url }: ServiceProcess, clients: number) {
  const answers: (number | string)[] = [];
  isOver = false;
  const ask = async () => {
    while (!isOver) {
      const outcome = await fetch(`${url}/v1/agents`, {
        headers: { authorization: `Bearer ${tenant.key}` },
        signal: AbortSignal.timeout(15_000),
      }).then(
        async (response) => (await response.arrayBuffer(), response.status),
        (error: unknown) => String(error),
      );
      answers.push(outcome);
      await delay(5);
    }
  };
  const asking = Promise.all(Array.from({ length: clients }, ask));
  return {
    stop: async () => {
      isOver = true;
      await asking;
      return answers;
    },
  };
}

interface LogLine {
  pid: number;
  msg: string;
  worker_pid?: number;
}

const logLines = ({ stdout }: ServiceProcess): LogLine[] =>
  stdout()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine);

describe('several processes', () => {
  test(
    'serve one port, and print complete lines, each with its process',
    async () => {
      const running = await start();
      const workers = await workersOf(running);
      const asking = load(running, 8);
      const requests = () => logLines(running).filter(({ msg }) => msg === 'request');
      await eventually(() => {
        expect([...new Set(requests().map(({ pid }) => pid))].sort()).toEqual(workers);
      });
      const answers = await asking.stop();
      expect(new Set(answers)).toEqual(new Set([200]));
      await eventually(() => {
        expect(requests()).toHaveLength(answers.length);
      });
    },
    timeoutMs,
  );

  test(
    'replace one that is killed',
    async () => {
      const running = await start();
      const [killed = 0, other = 0] = await workersOf(running);
      process.kill(killed, 'SIGKILL');
      await replaced(running, killed, other);
      await eventually(() => {
        expect(logLines(running)).toContainEqual(
          expect.objectContaining({
            level: 'error',
            worker_pid: killed,
            msg: 'a worker died; starting another',
          }),
        );
      });
      const named = running
        .stdout()
        .split('\n')
        .filter((line) => line.includes('"worker_pid"'));
      expect(named.map((line) => line.match(/"pid":/g)?.length)).toEqual(named.map(() => 1));
      await eventually(async () => {
        expect((await fetch(`${running.url}/readyz`)).status).toBe(200);
      }, 60_000);
    },
    timeoutMs,
  );

  test(
    'replace one that hangs, but not one that pauses for a few seconds',
    async () => {
      const running = await start();
      const [hung = 0, busy = 0] = await workersOf(running);
      process.kill(hung, 'SIGSTOP');
      process.kill(busy, 'SIGSTOP');
      await delay(6_000);
      process.kill(busy, 'SIGCONT');
      const asking = load(running, 8);
      await replaced(running, hung, busy);
      const said = () => logLines(running).map(({ msg, worker_pid: of }) => ({ msg, of }));
      await eventually(() => {
        expect(said()).toContainEqual({ msg: 'a worker does not respond; killing it', of: hung });
        expect(said()).toContainEqual({ msg: 'a worker died; starting another', of: hung });
      });
      const [replacement] = (await workersOf(running)).filter((pid) => pid !== busy);
      await eventually(async () => {
        // A new connection: the others stay with their process.
        const headers = { connection: 'close' };
        await (await fetch(`${running.url}/v1/agents`, { headers })).body?.cancel();
        const served = logLines(running).filter(({ msg }) => msg === 'request');
        expect(served.map(({ pid }) => pid)).toContain(replacement);
      }, 30_000);
      // Requests went on meanwhile: only the connection that the hung process was to accept got no answer.
      const failed = (await asking.stop()).filter((answer) => answer !== 200);
      expect(failed.length).toBeLessThanOrEqual(1);
    },
    timeoutMs,
  );

  test(
    'report once why they cannot start',
    async () => {
      const port = new URL(observer.url).port;
      const said = await start({ PORT: port }).then(() => '', String);
      expect(said.match(new RegExp(`Port ${port} is in use`, 'g'))).toHaveLength(1);
    },
    timeoutMs,
  );
});

describe('on an embedded PostgreSQL', () => {
  test(
    'all of them stop on the signal, and PostgreSQL too',
    async () => {
      const dataDir = await dataDirectory();
      const running = await startServiceProcess({
        environment: { DATA_DIR: dataDir, WORKERS: '2' },
      });
      const workers = await workersOf(running);
      await eventually(() => {
        expect(running.stdout().match(/first_key_file/g)).toHaveLength(1);
      });
      expect(await running.end('SIGTERM')).toBe(0);
      expect(workers.filter(isAlive)).toEqual([]);
      expect(await postgresOn(dataDir)).toBeUndefined();
    },
    timeoutMs,
  );

  test(
    'none of them outlives the primary, and the next start finds all data',
    async () => {
      const dataDir = await dataDirectory();
      const environment = { DATA_DIR: dataDir, WORKERS: '2' };
      const first = await startServiceProcess({ environment });
      const postgres = await postgresOn(dataDir);
      const workers = (await workersOf(first)).filter((pid) => pid !== postgres);
      // They have lines to print, but the reader is gone.
      await Promise.all(Array.from({ length: 20 }, () => fetch(`${first.url}/v1/agents`)));
      await first.end('SIGKILL');
      await eventually(() => {
        expect(workers.filter(isAlive)).toEqual([]);
      });
      const second = await startServiceProcess({ environment });
      expect((await fetch(`${second.url}/readyz`)).status).toBe(200);
      expect(await second.end('SIGTERM')).toBe(0);
    },
    timeoutMs,
  );
});
