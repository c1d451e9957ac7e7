/** A database that starts after the service. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { errorCode } from '../../server/lib/errors/error-code.js';
import { openCluster } from '../../server/embedded-postgres/cluster.js';
import { readPostmaster } from '../../server/embedded-postgres/postmaster.js';
import { startServer, stopServer } from '../../server/embedded-postgres/server.js';
import { embeddedOptions, openEmbedded } from '../../server/process/embedded-database.js';
import { dataDirectory } from '../helpers/database/data-directory.js';
import { useDatabase } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { type Program, ready, startBuilt } from '../helpers/programs/process.js';
import { environmentFor } from '../helpers/service/service.js';

const timeoutMs = 120_000;
const made = useDatabase();

let cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
  cleanUps = [];
});

async function start(databaseUrl: string, environment: Record<string, string> = {}) {
  const program = await startBuilt('server/main', [], {
    environment: {
      ...environmentFor({ databaseUrl }),
      PORT: '0',
      DATA_DIR: await dataDirectory(),
      ...environment,
    },
  });
  cleanUps.push(() => program.end('SIGKILL'));
  return program;
}

const waits = ({ stdout }: Program) => stdout().match(/"msg":"waiting for the database"/g) ?? [];

/** A stopped PostgreSQL with a role and a database for the service. */
async function stoppedPostgres() {
  const dataDir = await dataDirectory();
  const embedded = await openEmbedded('start', { dataDir, durable: false });
  await embedded.stop();
  const { server } = await openCluster(embeddedOptions({ dataDir, durable: false }));
  cleanUps.push(() => stopServer(server.pgdata));
  return { url: embedded.url, server };
}

describe('a start', () => {
  test(
    'waits for a database that is down and then starting up, says so once, and logs how it went',
    async () => {
      const { url, server } = await stoppedPostgres();
      const program = await start(url);
      await program.printed(/"reason":"[^"]*nothing listens there/);

      // Like a server that is starting up, a standby without queries rejects connections with 57P03 until it is promoted.
      await writeFile(path.join(server.pgdata, 'standby.signal'), '');
      await writeFile(path.join(server.pgdata, 'postgresql.auto.conf'), 'hot_standby = off\n');
      const started = startServer(server, Number(new URL(url).port));
      const pid = await eventually(async () => {
        const postmaster = await readPostmaster(server.pgdata);
        if (!postmaster) throw new Error('It has not started yet.');
        return postmaster.pid;
      });
      await expect(refusal(url)).resolves.toBe('57P03');
      await writeFile(path.join(server.pgdata, 'promote'), '');
      process.kill(pid, 'SIGUSR1');
      await started;

      const service = await ready(program);
      expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
      expect(waits(program)).toHaveLength(1);
      const lines = program.stdout().trim().split('\n');
      expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ migration: expect.any(String), msg: 'migration applied' }),
          expect.objectContaining({
            version: expect.stringMatching(/^\d+\.\d+\.\d+/),
            docs: `${service.url}/docs`,
            console: `${service.url}/console`,
          }),
        ]),
      );
      expect(await program.end('SIGTERM')).toBe(0);
    },
    timeoutMs,
  );

  test(
    'gives up after DATABASE_WAIT_MS, and says why',
    async () => {
      const { url } = await stoppedPostgres();
      const program = await start(url, { DATABASE_WAIT_MS: '1000' });
      expect(await program.ended).toBe(1);
      expect(waits(program)).toHaveLength(1);
      expect(program.stderr()).toMatch(/nothing listens there\. Check DATABASE_URL/);
    },
    timeoutMs,
  );

  test(
    'can be interrupted by a signal while it waits',
    async () => {
      const { url } = await stoppedPostgres();
      const program = await start(url, { DATABASE_WAIT_MS: '600000' });
      await program.printed(/waiting for the database/);
      expect(await program.end('SIGTERM')).toBe(1);
    },
    timeoutMs,
  );

  test.each([
    ['a wrong password', (url: URL) => (url.password = 'guess'), /Check the user and the password/],
    ['a missing database', (url: URL) => (url.pathname = 'nowhere'), /Create it \(createdb/],
  ])(
    'does not wait for %s',
    async (_name, change, advice) => {
      const url = new URL(made.url);
      change(url);
      const program = await start(url.href, { DATABASE_WAIT_MS: '600000' });
      expect(await program.ended).toBe(1);
      expect(waits(program)).toEqual([]);
      expect(program.stderr()).toMatch(advice);
    },
    timeoutMs,
  );
});

test(
  'operator commands do not wait',
  async () => {
    const { url } = await stoppedPostgres();
    const command = await startBuilt('server/operator/main', ['accounts', 'list'], {
      environment: { ...environmentFor({ databaseUrl: url }), DATABASE_WAIT_MS: '600000' },
    });
    expect(await command.ended).toBe(6);
    expect(command.stderr()).toMatch(/nothing listens there/);
  },
  timeoutMs,
);

/** The code with which a running server rejects connections. */
function refusal(url: string): Promise<string | undefined> {
  return eventually(async () => {
    const client = new pg.Client({ connectionString: url });
    const code = await client.connect().then(() => 'connected', errorCode);
    await client.end();
    expect(code).toMatch(/^57P|connected/);
    return code;
  });
}
