/** A connection pooler instead of PostgreSQL is recognised, and the operator is told which URL is missing. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { migrate } from '../../server/postgres/migrations/migrate.js';
import { openTestDatabase, useDatabase } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { apiClient } from '../helpers/service/api.js';
import { proxyTo } from '../helpers/servers/database-proxy.js';
import { pgbouncerIsMissing, type Pooler, startPgbouncer } from './pgbouncer.js';
import { startBuilt, startServiceProcess } from '../helpers/programs/process.js';
import { environmentFor } from '../helpers/service/service.js';

const timeoutMs = 60_000;
const made = useDatabase();
const started: Pooler[] = [];

afterAll(() => Promise.all(started.map((pooler) => pooler.stop())));

async function pooler(settings: Record<string, string>): Promise<string> {
  return (await startPooler(made.url, settings)).url;
}

async function startPooler(url: string, settings: Record<string, string>): Promise<Pooler> {
  const made_ = await startPgbouncer(url, settings);
  started.push(made_);
  return made_;
}

/** The ignored parameters are those that the service sets; PgBouncer rejects unknown ones. */
const transactions = {
  pool_mode: 'transaction',
  ignore_startup_parameters: 'options,statement_timeout,idle_in_transaction_session_timeout',
};

const advice =
  'DATABASE_URL leads to a connection pooler, such as PgBouncer, but migrations and notifications need PostgreSQL itself. ' +
  'Set DIRECT_DATABASE_URL to the URL of PostgreSQL, and leave DATABASE_URL as it is.';

const title = pgbouncerIsMissing ? 'PgBouncer (skipped: it is not installed)' : 'PgBouncer';

(pgbouncerIsMissing ? describe.skip : describe)(title, () => {
  test('in transaction mode is recognised by its sessions', async () => {
    await expect(migrate({ url: await pooler(transactions) })).rejects.toThrow(advice);
  }, 60_000);

  test('as DIRECT_DATABASE_URL is recognised too', async () => {
    const url = await pooler(transactions);
    await expect(migrate({ url, variable: 'DIRECT_DATABASE_URL' })).rejects.toThrow(
      /^DIRECT_DATABASE_URL leads to a connection pooler.* Set it to the URL of PostgreSQL\.$/,
    );
  });

  test(
    "that rejects the service's parameters is recognised by that",
    async () => {
      const databaseUrl = await pooler({ pool_mode: 'session' });
      const service = await startBuilt('server/main', [], {
        environment: { ...environmentFor({ databaseUrl }), PORT: '0' },
      });
      expect(await service.ended).toBe(1);
      expect(service.stderr()).toContain(`unsupported startup parameter`);
      expect(service.stderr()).toContain(advice);
    },
    timeoutMs,
  );

  test(
    'is used once the direct URL is set as well',
    async () => {
      const databaseUrl = await pooler({ pool_mode: 'transaction' });
      await made.database.pool.query(
        `ALTER DATABASE ${new URL(made.url).pathname.slice(1)} SET TimeZone = 'UTC'`,
      );
      const service = await startServiceProcess({
        environment: { ...environmentFor({ databaseUrl }), DIRECT_DATABASE_URL: made.url },
      });
      const api = apiClient(service.url, await service.firstKey());
      // Releases a session and a key in the transaction that records the invocation.
      const invocations = Array.from({ length: 8 }, (_, n) =>
        api.expect('invokeAgent', 200, {
          path: { agent_id: 'echo' },
          headers: { 'Idempotency-Key': `call-${n}` },
          body: { message: 'Hello', context: { session_id: `session-${n % 2}` } },
        }),
      );
      expect(await Promise.all(invocations)).toHaveLength(8);
      expect(await service.end('SIGTERM')).toBe(0);
    },
    timeoutMs,
  );

  test(
    'that accepts connections is not mistaken for a database that answers',
    async () => {
      const proxy = await proxyTo(made.url);
      const { url, log } = await startPooler(proxy.url, {
        ...transactions,
        server_login_retry: '1',
        server_connect_timeout: '2',
      });
      const warnings: string[] = [];
      const warn = (message: string) => void warnings.push(message);
      const database = await openTestDatabase(url, { pooled: true, warn });
      const refused = () => log().match(/closing because: server login/g)?.length ?? 0;
      try {
        proxy.freeze();
        await eventually(() => {
          expect(warnings).toEqual([expect.stringMatching(/does not respond/)]);
        });
        // The database is down now. Only the health check still asks for it, and the pooler answers in its place.
        await proxy.cut();
        await eventually(() => {
          expect(refused()).toBeGreaterThanOrEqual(3);
        });
        expect(warnings).toHaveLength(1);
        proxy.thaw();
        await proxy.restore();
        await eventually(() => database.prisma.account.count());
        await eventually(() => {
          expect(warnings).toEqual([
            expect.stringMatching(/does not respond/),
            expect.stringMatching(/responds and accepts writes/),
          ]);
        });
      } finally {
        await database.close();
        await proxy.close();
      }
    },
    timeoutMs,
  );
});
