/** Database connections: too many of them, lost ones, and those that are open but never answer. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { isStoreUnavailable } from '../../server/postgres/errors.js';
import {
  administer,
  type OpenDatabase,
  openTestDatabase,
  useDatabase,
  withConnectTimeout,
} from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/service/fixture.js';
import { proxyTo } from '../helpers/servers/database-proxy.js';

const fixture = useDatabase();

const nap = { name: 'nap', text: 'SELECT pg_sleep(0.05)::text AS slept' };

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a pool that is larger than the server allows', () => {
  const warnings: string[] = [];
  const limited: OpenDatabase = useFixture(
    async () => {
      const role = `limited_${randomBytes(4).toString('hex')}`;
      await administer(
        `CREATE ROLE ${role} LOGIN PASSWORD 'secret' IN ROLE agent_hosting CONNECTION LIMIT 3`,
      );
      const url = new URL(fixture.url);
      [url.username, url.password] = [role, 'secret'];
      const warn = (message: string) => void warnings.push(message);
      const database = await openTestDatabase(url.href, { poolSize: 20, warn });
      return {
        ...database,
        close: async () => {
          await database.close();
          await administer(`DROP ROLE ${role}`);
        },
      };
    },
    (database) => database.close(),
  );

  test('is reported to the operator at the start', () => {
    expect(warnings).toEqual([
      expect.stringMatching(
        /allows fewer connections than DATABASE_POOL_SIZE.* 3 are allowed.* Lower DATABASE_POOL_SIZE/,
      ),
    ]);
  });

  test('serves as many as it has connections for, and the rest is unavailable', async () => {
    const { prisma } = limited;
    const ways: (() => Promise<unknown>)[] = [
      () => limited.run(nap, []),
      () => limited.transaction((transaction) => transaction.run(nap, [])),
      () => prisma.account.findFirst(),
      () => limited.searches('one').run(nap, []),
    ];
    const failures = await Promise.all(
      Array.from({ length: 10 }, () => ways.map((ask) => failureOf(ask()))).flat(),
    );
    expect(failures).toContain(undefined);
    const refusals = failures.filter((failure) => failure !== undefined);
    expect(refusals).not.toHaveLength(0);
    expect(refusals.filter((failure) => !isStoreUnavailable(failure))).toEqual([]);
  });
});

describe('a connection that is open but never answers', () => {
  test.each<[string, (database: OpenDatabase) => Promise<unknown>]>([
    ['a statement', (database) => database.run({ name: 'one', text: 'SELECT 1 AS one' }, [])],
    [
      'a transaction',
      (database) => database.prisma.$transaction((transaction) => transaction.account.count()),
    ],
  ])('fails %s, and is not used again', async (_, ask) => {
    const proxy = await proxyTo(fixture.url);
    const database = await openTestDatabase(proxy.url, { poolSize: 2, statementTimeoutMs: 300 });
    try {
      await ask(database);
      proxy.strand();
      expect(isStoreUnavailable(await failureOf(ask(database)))).toBe(true);
      await ask(database);
    } finally {
      await database.close();
      await proxy.close();
    }
  });
});

describe('a hanging database', () => {
  test('fails waiting statements, is reported, and is used again when it is back', async () => {
    const proxy = await proxyTo(fixture.url);
    const warnings: string[] = [];
    const warn = (message: string) => void warnings.push(message);
    const database = await openTestDatabase(withConnectTimeout(proxy.url, 2), {
      poolSize: 2,
      statementTimeoutMs: 1_000,
      warn,
    });
    try {
      await database.run(nap, []);
      proxy.freeze();
      // More than the pool has connections.
      const waiting = Array.from({ length: 5 }, () => failureOf(database.run(nap, [])));
      expect((await Promise.all(waiting)).every(isStoreUnavailable)).toBe(true);
      expect(isStoreUnavailable(await failureOf(database.prisma.account.count()))).toBe(true);
      expect(isStoreUnavailable(await failureOf(database.check()))).toBe(true);
      expect(warnings).toEqual([expect.stringMatching(/does not respond/)]);
      proxy.thaw();
      await eventually(() => database.run(nap, []));
      await database.check();
      expect(warnings).toEqual([
        expect.stringMatching(/does not respond/),
        expect.stringMatching(/responds and accepts writes/),
      ]);
    } finally {
      await database.close();
      await proxy.close();
    }
  });

  test('is distinguished from one with slow statements, or one that starts no new sessions', async () => {
    const proxy = await proxyTo(fixture.url);
    const warnings: string[] = [];
    const warn = (message: string) => void warnings.push(message);
    const database = await openTestDatabase(proxy.url, { poolSize: 1, warn });
    try {
      await database.run(nap, []);
      proxy.strandNew();
      // Longer than it takes to detect a hang.
      await database.run({ name: 'long', text: 'SELECT pg_sleep(5)::text AS slept' }, []);
      expect(warnings).toEqual([]);
    } finally {
      await database.close();
      await proxy.close();
    }
  });
});
