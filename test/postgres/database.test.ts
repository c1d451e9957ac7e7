import { createServer } from 'node:net';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createSecrets } from '../../server/installation/key-ring.js';
import { newId } from '../../server/lib/data/typeid.js';
import { DatabaseProblem } from '../../server/postgres/connection-problem.js';
import { isStoreUnavailable, StoreUnavailable } from '../../server/postgres/errors.js';
import { adoptStoredKeys } from '../../server/installation/secrets-keys.js';
import {
  administer,
  createTestDatabase,
  openTestDatabase,
  useDatabase,
  withConnectTimeout,
} from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { proxyTo } from '../helpers/servers/database-proxy.js';

const fixture = useDatabase();

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a database that cannot be opened says why, and what to do', () => {
  const elsewhere = (change: (url: URL) => void) => {
    const url = new URL(fixture.url);
    change(url);
    return url.href;
  };

  test.each<[string, (url: URL) => void, RegExp]>([
    [
      'nothing listens',
      (url) => (url.port = '1'),
      /127\.0\.0\.1:1\/.*nothing listens there.*DATABASE_URL/,
    ],
    [
      'an unknown host',
      (url) => (url.hostname = 'db.invalid'),
      /host name is not known.*DATABASE_URL/,
    ],
    [
      'a wrong password',
      (url) => (url.password = 'wrong'),
      /password authentication failed.*Check the user and the password/,
    ],
    [
      'no such database',
      (url) => (url.pathname = 'nowhere'),
      /"nowhere" does not exist.*createdb -O agent_hosting nowhere/,
    ],
  ])('%s', async (_, change, explanation) => {
    const url = elsewhere(change);
    const failure = await failureOf(openTestDatabase(url));
    expect(failure).toBeInstanceOf(DatabaseProblem);
    expect(failure).toHaveProperty('message', expect.stringMatching(explanation));
    expect(String(failure)).not.toContain(new URL(url).password);
  });

  test('one that never answers', async () => {
    const unresponsive = createServer().listen(0, '127.0.0.1');
    await once(unresponsive, 'listening');
    const address = unresponsive.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const url = elsewhere((there) => (there.port = String(port)));
    const failure = await failureOf(openTestDatabase(withConnectTimeout(url, 1)));
    expect(String(failure)).toMatch(/timeout.*DATABASE_URL/);
    unresponsive.close();
  });

  test('a pooler whose sessions are not in UTC', async () => {
    const name = new URL(fixture.url).pathname.slice(1);
    await administer(`ALTER DATABASE ${name} SET TimeZone = 'Asia/Tokyo'`);
    const failure = await failureOf(openTestDatabase(fixture.url, { pooled: true }));
    expect(String(failure)).toMatch(/Asia\/Tokyo.*ALTER ROLE/);
  });
});

test('times are the same through Prisma and SQL, whatever the time zone of the database', async () => {
  const name = new URL(fixture.url).pathname.slice(1);
  await administer(`ALTER DATABASE ${name} SET TimeZone = 'Asia/Tokyo'`);
  const database = await openTestDatabase(fixture.url);
  try {
    const createdAt = new Date('2026-03-29T01:30:00.123Z');
    const id = newId('acct');
    await database.prisma.account.create({ data: { id, name: id, createdAt } });
    const read = await database.prisma.account.findUniqueOrThrow({ where: { id } });
    expect(read.createdAt).toEqual(createdAt);
    const rows = await database.run<{ created_at: Date; epoch: number; now: Date }>(
      {
        name: 'time',
        text: 'SELECT created_at, extract(epoch FROM now())::float8 AS epoch, now() FROM accounts WHERE id = $1',
      },
      [id],
    );
    expect(rows[0]?.created_at).toEqual(createdAt);
    expect(rows[0]?.now.getTime()).toBe(Math.floor((rows[0]?.epoch ?? 0) * 1000));
  } finally {
    await database.close();
  }
});

describe('a transaction that PostgreSQL rolls back because of a deadlock is repeated', () => {
  const lock = (table: string) => ({
    name: `lock_${table}`,
    text: `LOCK TABLE ${table} IN ROW EXCLUSIVE MODE`,
  });

  test.each<[string, (between: () => void) => Promise<void>]>([
    [
      'in a Prisma transaction',
      (between) =>
        fixture.database.transaction(async ({ prisma }) => {
          await prisma.$executeRawUnsafe(lock('log_entries').text);
          between();
          await prisma.$executeRawUnsafe(lock('agents').text);
        }),
    ],
    [
      'in a transaction of prepared statements',
      (between) =>
        fixture.database.atomically(async (queryable) => {
          await queryable.run(lock('log_entries'), []);
          between();
          await queryable.run(lock('agents'), []);
        }),
    ],
  ])('%s', async (_, work) => {
    const migration = new pg.Client({ connectionString: fixture.url });
    await migration.connect();
    try {
      await migration.query('BEGIN; LOCK TABLE agents');
      let attempts = 0;
      const altered: Promise<unknown>[] = [];
      await work(() => {
        attempts += 1;
        if (attempts > 1) return;
        // PostgreSQL rolls back the one that has waited longer.
        altered.push(delay(500).then(() => migration.query('LOCK TABLE log_entries; COMMIT')));
      });
      expect(attempts).toBe(2);
      await Promise.all(altered);
    } finally {
      await migration.end();
    }
  });
});

describe('while the database is unavailable', () => {
  test('SQL and Prisma always fail as unavailable, and work again afterwards', async () => {
    const proxy = await proxyTo(fixture.url);
    const database = await openTestDatabase(proxy.url);
    const ways: (() => Promise<unknown>)[] = [
      () => database.run({ name: 'one', text: 'SELECT 1' }, []),
      () => database.prisma.account.count(),
      () => database.prisma.account.findUnique({ where: { id: 'x' } }),
      () => database.prisma.$transaction((transaction) => transaction.account.count()),
    ];
    try {
      await Promise.all(ways.map((ask) => ask()));
      await proxy.cut();
      for (const ask of ways) {
        expect(isStoreUnavailable(await failureOf(ask()))).toBe(true);
      }
      await proxy.restore();
      for (const ask of ways) await eventually(ask);
    } finally {
      await database.close();
      await proxy.close();
    }
  });

  test('a transaction that is interrupted fails as unavailable', async () => {
    const proxy = await proxyTo(fixture.url);
    const database = await openTestDatabase(proxy.url);
    const cutInTheMiddle = database.prisma.$transaction(async (transaction) => {
      await transaction.account.count();
      await proxy.cut();
      await transaction.account.count();
    });
    expect(isStoreUnavailable(await failureOf(cutInTheMiddle))).toBe(true);
    await database.close();
    await proxy.close();
  });

  test.each([
    ['is shut down', 'SELECT pg_terminate_backend(pg_backend_pid())::text'],
    ['exceeds the statement timeout', 'SELECT pg_sleep(10)::text'],
  ])('because it %s, the error is distinguished from others', async (_, text) => {
    const database = await openTestDatabase(fixture.url, { statementTimeoutMs: 200 });
    try {
      const sqlFailure = await failureOf(database.run({ name: 'broken', text }, []));
      expect(sqlFailure).toBeInstanceOf(StoreUnavailable);
      const prismaFailure = await failureOf(database.prisma.$queryRawUnsafe(text));
      expect(isStoreUnavailable(prismaFailure)).toBe(true);
    } finally {
      await database.close();
    }
  });

  test.each([
    new Error('something else'),
    Object.assign(new Error('duplicate key'), { code: '23505' }),
    Object.assign(new Error('fetch failed'), { cause: { code: 'ECONNREFUSED' } }),
    'text',
    undefined,
  ])('%p is a different error', (error) => {
    expect(isStoreUnavailable(error)).toBe(false);
  });
});

describe('the secrets of a database', () => {
  test('must be the ones that it was first opened with', async () => {
    const first = randomBytes(32);
    await adoptStoredKeys(fixture.database, createSecrets(first));
    await adoptStoredKeys(fixture.database, createSecrets(first));
    const other = createSecrets(randomBytes(32));
    await expect(adoptStoredKeys(fixture.database, other)).rejects.toThrow(
      new RegExp(`another SECRETS_KEY.*${other.keys[0].id}.*SECRETS_KEY_PREVIOUS`),
    );
  });

  test('have one pepper, whichever of several starting instances stores it', async () => {
    const made = await createTestDatabase();
    try {
      const masterKey = randomBytes(32);
      const rings = Array.from({ length: 8 }, () => createSecrets(masterKey));
      await Promise.all(rings.map((ring) => adoptStoredKeys(made.database, ring)));
      const hashes = rings.map((ring) => ring.hashApiKey('ahs_a').toString('hex'));
      expect(
        new Set([...hashes, createSecrets(masterKey).hashApiKey('ahs_a').toString('hex')]).size,
      ).toBe(1);
    } finally {
      await made.close();
    }
  });
});
