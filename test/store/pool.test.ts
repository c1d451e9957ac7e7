/** The connections to the database: too many of them, lost ones, and those that are open but never answer. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { isStoreUnavailable } from '../../server/store/errors.js';
import {
  administer,
  type OpenDatabase,
  openTestDatabase,
  useDatabase,
} from '../helpers/database.js';
import { useFixture } from '../helpers/fixture.js';
import { proxyTo } from '../helpers/proxy.js';

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

  test('makes everybody wait for the connections that it has, and says so once', async () => {
    const { prisma } = limited;
    const ways: (() => Promise<unknown>)[] = [
      () => limited.run(nap, []),
      () => limited.transaction((transaction) => transaction.run(nap, [])),
      () => prisma.account.findFirst(),
      () => limited.searches('one').run(nap, []),
    ];
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(Array.from({ length: 10 }, () => ways.map((ask) => ask())).flat());
    }
    expect(warnings).toEqual([
      expect.stringMatching(/allows fewer connections .* Lower DATABASE_POOL_SIZE/),
    ]);
  });

  test('has no connection left to check the database with, and asks on one of those', async () => {
    const busy = Array.from({ length: 9 }, () => limited.run(nap, []));
    expect(await limited.check()).toMatchObject({ isReadOnly: false });
    await Promise.all(busy);
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

test('a database that answers on some connections, though it begins no new ones, does not count as one that hangs', async () => {
  const proxy = await proxyTo(fixture.url);
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const database = await openTestDatabase(proxy.url, { poolSize: 1, warn });
  try {
    proxy.strandNew();
    // Longer than the three checks of a second each that a database that hangs does not answer.
    const end = performance.now() + 5_000;
    while (performance.now() < end) await database.run(nap, []);
    expect(warnings).toEqual([]);
    proxy.freeze();
    expect(isStoreUnavailable(await failureOf(database.run(nap, [])))).toBe(true);
    expect(warnings).toEqual([expect.stringMatching(/does not respond/)]);
  } finally {
    await database.close();
    await proxy.close();
  }
});
