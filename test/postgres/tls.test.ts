/** Connections to a PostgreSQL with a private authority: each sslmode works as in libpq, in every part of the service. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { writeBackup } from '../../server/backup/write-backup.js';
import { listen } from '../../server/postgres/listen.js';
import { migrate } from '../../server/postgres/migrations/migrate.js';
import { openTestDatabase, useDatabase } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/service/fixture.js';
import { startTlsCluster, type UrlOptions } from '../helpers/servers/tls-cluster.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

const cluster = useFixture(startTlsCluster, (started) => started.stop());

/** File names stand for their paths, which are unknown before the first test. */
function urlWith(parameters: Record<string, string>, options?: UrlOptions): string {
  const files: Partial<Record<string, string>> = cluster.files;
  const entries = Object.entries(parameters).map(
    ([name, value]) => [name, files[value] ?? value] as const,
  );
  return cluster.url(Object.fromEntries(entries), options);
}

/** Uses each of the service's connections for requests. */
async function open(url: string): Promise<void> {
  const database = await openTestDatabase(url);
  try {
    const one = { name: 'one', text: 'SELECT 1' };
    await database.run(one, []);
    await database.searches('acct_any').run(one, []);
    await database.prisma.$queryRaw`SELECT 1`;
    await database.check();
  } finally {
    await database.close();
  }
}

describe('a server with a private authority', () => {
  test.each<[Record<string, string>, UrlOptions]>([
    [{ sslmode: 'require' }, { host: '127.0.0.1' }],
    [{ sslmode: 'require', sslrootcert: 'authority' }, { host: '127.0.0.1' }],
    [{ sslmode: 'verify-ca', sslrootcert: 'authority' }, { host: '127.0.0.1' }],
    [{ sslmode: 'verify-full', sslrootcert: 'authority' }, { host: 'localhost' }],
    [
      {
        sslmode: 'verify-full',
        sslrootcert: 'authority',
        sslcert: 'clientCert',
        sslkey: 'clientKey',
      },
      { user: 'certified' },
    ],
  ])('is accepted with %j at %j', async (parameters, options) => {
    await open(urlWith(parameters, options));
  });

  test.each<[Record<string, string>, UrlOptions, RegExp]>([
    [{}, {}, /no encryption.*set sslmode=verify-full, or require, in DATABASE_URL/],
    [
      { sslmode: 'disable' },
      {},
      /no encryption.*set sslmode=verify-full, or require, in DATABASE_URL/,
    ],
    [
      { sslmode: 'require', sslrootcert: 'otherAuthority' },
      {},
      /Set sslrootcert in DATABASE_URL to the file of the authority/,
    ],
    [
      { sslmode: 'verify-ca', sslrootcert: 'otherAuthority' },
      {},
      /Set sslrootcert in DATABASE_URL to the file of the authority/,
    ],
    [
      { sslmode: 'verify-full', sslrootcert: 'otherAuthority' },
      {},
      /Set sslrootcert in DATABASE_URL to the file of the authority/,
    ],
    [
      { sslmode: 'verify-full' },
      {},
      /Set sslrootcert in DATABASE_URL to the file of the authority/,
    ],
    [
      { sslmode: 'verify-full', sslrootcert: 'authority' },
      { host: '127.0.0.1' },
      /Use a host name of the certificate in DATABASE_URL, or sslmode=verify-ca/,
    ],
    [
      { sslmode: 'require' },
      { user: 'certified' },
      /client certificate.*Set sslcert and sslkey in DATABASE_URL/,
    ],
  ])('is rejected with %j at %j, with an explanation', async (parameters, options, reason) => {
    const url = urlWith(parameters, options);
    await expect(open(url)).rejects.toThrow(reason);
  });
});

test('migrations, notifications and backups are encrypted too', async () => {
  const url = urlWith({ sslmode: 'verify-full', sslrootcert: 'authority' });
  expect(await migrate({ url })).not.toEqual([]);
  const heard: string[] = [];
  const listener = await listen({
    url,
    channels: { news: (payload) => void heard.push(payload) },
    onReset: () => undefined,
  });
  const database = await openTestDatabase(url);
  try {
    await database.run({ name: 'news', text: `SELECT pg_notify('news', 'arrived')` }, []);
    await eventually(() => {
      expect(heard).toEqual(['arrived']);
    });
    const discard = new Writable({
      write: (_chunk, _encoding, done) => {
        done();
      },
    });
    await writeBackup({ url, service: '0.1.0' }, discard);
    const sessions = await cluster.administer(
      `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'agent_hosting'`,
    );
    expect(sessions).toEqual([{ ssl: true }]);
  } finally {
    await database.close();
    await listener.close();
  }
});

describe('a server without TLS', () => {
  const plain = useDatabase();

  test('is rejected unless the URL disables encryption', async () => {
    const withMode = (mode: string) => {
      const url = new URL(plain.url);
      url.searchParams.set('sslmode', mode);
      return url.href;
    };
    await open(withMode('disable'));
    await expect(open(withMode('require'))).rejects.toThrow(
      /does not support SSL.*Switch on ssl at the server, or set sslmode=disable in DATABASE_URL/,
    );
  });

  test('is reached through a socket', async () => {
    const { port, username, password, pathname } = new URL(plain.url);
    const folder = await temporaryFolder();
    const socket = createServer((client) => {
      const server = connect(Number(port), '127.0.0.1');
      client.pipe(server).pipe(client);
      client.on('error', () => server.destroy());
      server.on('error', () => client.destroy());
    }).listen(path.join(folder, '.s.PGSQL.5432'));
    await once(socket, 'listening');
    const url = (name: string) =>
      `postgresql://${username}:${password}@/${name}?host=${encodeURIComponent(folder)}`;
    try {
      await open(url(pathname.slice(1)));
      await expect(open(url('nowhere'))).rejects.toThrow(`${folder}:5432/nowhere: `);
    } finally {
      socket.close();
    }
  });
});
