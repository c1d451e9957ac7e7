/** A backup of a running service, restored into an empty database, is complete and works. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { verifyWebhook } from '../../client/src/webhooks.js';
import { setBudget } from '../../server/accounts/accounts.js';
import { deploymentCalls } from '../helpers/service/deployments.js';
import { type BareDatabase, createBareDatabase, query } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/service/fixture.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { startReceiver } from '../helpers/servers/receiver.js';
import { useAgent, useService, useTenant } from '../helpers/service/service.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

const service = useService({ ALLOW_PRIVATE_TARGETS: 'true', WORKER: 'off' });
const tenant = useTenant(service, { isOnlyAccount: true });
const agent = useAgent(tenant, { name: 'keeper' });
const receiver = useFixture(startReceiver, (made) => made.close());
const empty: BareDatabase = useFixture(createBareDatabase, (made) => made.drop());

const operator = operatorInProcess(service);
const restorer = (url: string, more = {}) =>
  operatorInProcess(service, { DATABASE_URL: url, ...more });

let file: string;

const invoke = (message: string, headers = {}, api = tenant.api) =>
  api.call('invokeAgent', {
    path: { agent_id: agent.id },
    headers,
    body: { message, context: { session_id: 'travel', user_id: 'ada' } },
  });

/** A hash of every table. */
async function contents(url: string): Promise<Record<string, string>> {
  const tables = await query<{ name: string }>(
    url,
    `SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
        AND relpersistence = 'p' AND relname <> '_prisma_migrations' ORDER BY 1`,
  );
  const hashes = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await query<{ hash: string }>(
        url,
        `SELECT count(*) || ':' || coalesce(md5(string_agg(t::text, ',' ORDER BY t::text)), '') AS hash FROM ${name} AS t`,
      );
      return [name, row?.hash ?? ''];
    }),
  );
  return Object.fromEntries(hashes) as Record<string, string>;
}

/** Indexes, constraints and partitions, as described by PostgreSQL. */
async function structure(url: string): Promise<string[]> {
  const rows = await query<{ line: string }>(
    url,
    `WITH tables AS (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND NOT relispartition)
     SELECT pg_get_indexdef(indexrelid) AS line FROM pg_index WHERE indrelid IN (TABLE tables)
     UNION ALL SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || convalidated::text
       FROM pg_constraint WHERE conrelid IN (TABLE tables)
     UNION ALL SELECT relname || ' ' || pg_get_expr(relpartbound, oid) FROM pg_class WHERE relispartition AND relkind = 'r'
     ORDER BY 1`,
  );
  return rows.map(({ line }) => line);
}

let secret: string;

beforeAll(async () => {
  file = path.join(await temporaryFolder(), 'agents.backup');
  const { data } = await tenant.api.expect('createWebhook', 201, {
    body: { url: receiver.url, events: ['agent.completed'] },
  });
  ({ secret } = data);
  await deploymentCalls(tenant).deploy(agent.id, '1.0.0');
  await invoke('I am going to Reykjavík \\. \t with \\N and "quotes"\nnext month', {
    'Idempotency-Key': 'one',
  });
  await invoke('Remember the volcano');
  const { prisma } = service.database;
  await prisma.memoryEntry.updateMany({ data: { turn: { calls: ['a "b"\n'] } } });
  const [kept] = await prisma.agent.findMany();
  // A backup must tell none from 0.
  expect(kept?.temperature).toBeNull();
});

describe('a backup', () => {
  test('is readable by its owner only, and leaves nothing else behind', async () => {
    const made = await operator.json('backup', file);
    expect(made).toMatchObject({ file, migration: expect.any(String), rows: expect.any(Number) });
    expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600');
    const names = await query(
      service.databaseUrl,
      `SELECT 1 FROM pg_stat_activity WHERE application_name LIKE '%backup' AND datname = current_database()`,
    );
    expect(names).toEqual([]);
  });

  test('contains no key, and no decrypted secret', async () => {
    const text = gunzipSync(await readFile(file)).toString('latin1');
    expect(text).toContain('Remember the volcano');
    expect(text).not.toContain(secret.replace(/^whsec_/, ''));
    expect(text).not.toContain(tenant.key);
    expect(text).not.toContain(Buffer.alloc(32, 7).toString('base64'));
  });

  test('is not overwritten by accident', async () => {
    const before = await readFile(file);
    const { code, stderr } = await operator.run(['backup', file]);
    expect([code, stderr]).toEqual([5, `${file} exists. Pass --force to replace it.\n`]);
    expect(await readFile(file)).toEqual(before);
    expect((await operator.run(['backup', file, '--force'])).code).toBe(0);
  });

  test.each([
    ['a directory', temporaryFolder, /is a directory\. Name a file/],
    ['a device', () => '/dev/null', /\/dev\/null is not a file/],
    [
      'in a missing directory',
      async () => path.join(await temporaryFolder(), 'no/where'),
      /no such file or directory/,
    ],
  ])('to %s is rejected', async (_, place, message) => {
    const { code, stderr } = await operator.run(['backup', await place(), '--force']);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
  });

  test('of an empty database is rejected', async () => {
    const nothing = restorer(empty.url);
    const { code, stderr } = await nothing.run(['backup', `${file}.none`]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^The database is empty/)]);
    await expect(stat(`${file}.none`)).rejects.toThrow('ENOENT');
  });
});

describe('restored into an empty database', () => {
  test('contains everything', async () => {
    const account = await service.database.prisma.account.findFirstOrThrow();
    await setBudget(service.database, account.name, { tokens: 1, window: '1d' });
    await eventually(async () => {
      expect((await invoke('Too much')).status).toBe(429);
    });
    // Repeats until no background task changed anything meanwhile, such as folding counts.
    const expected = await eventually(async () => {
      const before = await contents(service.databaseUrl);
      await operator.run(['backup', file, '--force']);
      expect(await contents(service.databaseUrl)).toEqual(before);
      return before;
    }, 60_000);
    const restored = await restorer(empty.url).json('restore', file);
    expect(restored).toMatchObject({ left_out: [] });
    expect(await contents(empty.url)).toEqual(expected);
    expect(await structure(empty.url)).toEqual(await structure(service.databaseUrl));
  });

  test('works, with the same keys, secrets and limits', async () => {
    const copy = await service.another({ DATABASE_URL: empty.url, WORKER: 'on' });
    const api = copy.api(tenant.key);
    const { data: agents } = await api.expect('listAgents', 200);
    expect(agents).toMatchObject([{ name: 'keeper' }]);
    const { data: deployments } = await api.expect('listDeployments', 200, {
      path: { agent_id: agent.id },
    });
    expect(deployments).toMatchObject([{ version: '1.0.0' }]);
    const { data: logs } = await api.expect('getLogs', 200, { path: { agent_id: agent.id } });
    expect(logs.length).toBeGreaterThan(0);
    const { data: found } = await api.expect('searchMemory', 200, {
      path: { agent_id: agent.id },
      body: { query: 'volcano' },
    });
    expect(found[0]).toMatchObject({ content: expect.stringContaining('volcano') });

    // Pending deliveries are sent, signed with the same secret.
    const [receipt] = await receiver.got(2);
    const event = await verifyWebhook(receipt?.body ?? '', receipt?.headers ?? {}, secret);
    expect(event.type).toBe('agent.completed');

    // The budget is still used up, and a repeat of an answered request is not a new invocation.
    expect((await invoke('More', {}, api)).status).toBe(429);
    const message = 'I am going to Reykjavík \\. \t with \\N and "quotes"\nnext month';
    const first = await invoke(message, { 'Idempotency-Key': 'one' });
    const repeated = await invoke(message, { 'Idempotency-Key': 'one' }, api);
    expect(first.status).toBe(200);
    expect(repeated.body).toEqual(first.body);
    await copy.stop();
  });

  test('is rejected by a database that is not empty', async () => {
    const { code, stderr } = await restorer(empty.url).run(['restore', file]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /The database is not empty: it has \d+ tables, such as _prisma_migrations/,
    );
  });
});

describe('under another SECRETS_KEY', () => {
  test('is rejected at once, with the ids of both keys', async () => {
    const bare = await createBareDatabase();
    try {
      const other = restorer(bare.url, { SECRETS_KEY: Buffer.alloc(32, 8).toString('base64') });
      const { code, stderr } = await other.run(['restore', file]);
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /nothing was changed\. Its secrets are encrypted with the key [0-9a-f]{8}, but SECRETS_KEY is the key [0-9a-f]{8}\./,
      );
      expect(await contents(bare.url)).toEqual({});

      const rotating = restorer(bare.url, {
        SECRETS_KEY: Buffer.alloc(32, 8).toString('base64'),
        SECRETS_KEY_PREVIOUS: Buffer.alloc(32, 7).toString('base64'),
      });
      expect((await rotating.run(['restore', file])).code).toBe(0);
    } finally {
      await bare.drop();
    }
  });
});

test('a restore is rejected while a service is connected to the empty database', async () => {
  const bare = await createBareDatabase();
  const other = new URL(bare.url);
  other.searchParams.set('application_name', 'agent-hosting-service');
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: other.href });
  await client.connect();
  try {
    const { code, stderr } = await restorer(bare.url).run(['restore', file]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/Services or workers are connected/)]);
  } finally {
    await client.end();
    await bare.drop();
  }
});

test('a missing file, or a directory, is reported', async () => {
  const missing = await operator.run(['restore', '/no/such.backup']);
  expect(missing.stderr).toBe('/no/such.backup: there is no such file or directory.\n');
  const folder = await temporaryFolder();
  expect((await operator.run(['restore', folder])).stderr).toMatch(/is a directory/);
  const text = path.join(folder, 'notes.txt');
  await writeFile(text, 'Dear diary');
  expect((await operator.run(['restore', text])).stderr).toBe(
    `${text} cannot be restored, and nothing was changed. It is not a backup of this service.\n`,
  );
});
