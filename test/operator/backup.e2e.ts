/** Backup and restore as processes: with the embedded database, through pipes, killed halfway, on a full disk. */
import { execFileSync } from 'node:child_process';
import { chmod, copyFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { canMakeDisks } from '../faults/full-disk.js';
import { apiClient } from '../helpers/service/api.js';
import { dataDirectory } from '../helpers/database/data-directory.js';
import {
  type BareDatabase,
  createBareDatabase,
  query,
  useDatabase,
} from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/service/fixture.js';
import { operatorProcess } from '../helpers/service/operator.js';
import { startBuilt, startCommand, startServiceProcess } from '../helpers/programs/process.js';
import { builtPrograms } from '../helpers/programs/built-project.js';
import { insertAccount, insertAgent } from '../helpers/database/rows.js';
import { testSecretsKey } from '../helpers/service/service.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

const timeoutMs = 240_000;
const SECRETS_KEY = testSecretsKey.toString('base64');

describe('with the embedded database', () => {
  test(
    'a backup during operation is restored into a new directory, and the first key works there',
    async () => {
      const from = { DATA_DIR: await dataDirectory() };
      const to = { DATA_DIR: await dataDirectory() };
      const file = path.join(await temporaryFolder(), 'embedded.backup');
      const service = await startServiceProcess({ environment: from });
      const key = await service.firstKey();
      try {
        await apiClient(service.url, key).expect('invokeAgent', 200, {
          path: { agent_id: 'echo' },
          body: { message: 'Kept for later' },
        });
        await operatorProcess(() => from).json('backup', file);
      } finally {
        await service.end('SIGTERM');
      }

      const restore = () => operatorProcess(() => to).run(['restore', file]);
      const { code, stderr } = await restore();
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /with the key [0-9a-f]{8}, but DATA_DIR has no secrets\.key\. Copy the/,
      );
      expect(await readdir(to.DATA_DIR)).toEqual([]);

      await copyFile(
        path.join(from.DATA_DIR, 'secrets.key'),
        path.join(to.DATA_DIR, 'secrets.key'),
      );
      const restored = await restore();
      expect([restored.code, restored.stderr]).toEqual([0, '']);
      const copy = await startServiceProcess({ environment: to });
      try {
        const { data } = await apiClient(copy.url, key).expect('searchMemory', 200, {
          path: { agent_id: 'echo' },
          body: { query: 'later' },
        });
        expect(data.length).toBeGreaterThan(0);
        // It is set up already, so that no second key is created.
        expect(copy.stdout()).not.toContain('first_key_file');
      } finally {
        await copy.end('SIGTERM');
      }
    },
    timeoutMs,
  );
});

describe('with a database of 40 MB', () => {
  const origin = useDatabase();
  const target: BareDatabase = useFixture(createBareDatabase, (made) => made.drop(), {
    perTest: true,
  });
  const from = () => ({ DATABASE_URL: origin.url });
  const to = () => ({ DATABASE_URL: target.url, SECRETS_KEY });
  let file: string;

  beforeAll(async () => {
    const accountId = await insertAccount(origin.database);
    const agentId = await insertAgent(origin.database, accountId);
    await query(
      origin.url,
      `INSERT INTO log_entries (account_id, agent_id, id, logged_at, level, message)
       SELECT '${accountId}', '${agentId}', 'log_' || n, now() - n * interval '1 second', 'info', repeat(md5(n::text), 12)
         FROM generate_series(1, 100000) AS n`,
    );
    file = path.join(await temporaryFolder(), 'large.backup');
    // Neither needs SECRETS_KEY or prints more than necessary.
    const made = await operatorProcess(from).run(['backup', file]);
    expect([made.code, made.stderr]).toEqual([0, '']);
  }, timeoutMs);

  const tablesThere = async () =>
    (await query(target.url, `SELECT FROM pg_tables WHERE schemaname = 'public'`)).length;

  test(
    'it works through pipes, from one installation to another',
    async () => {
      const operator = path.join(await builtPrograms(), 'server/operator/main.js');
      const script = `DATABASE_URL="$FROM" "$NODE" "$OPERATOR" backup - | DATABASE_URL="$TO" "$NODE" "$OPERATOR" restore - --json`;
      const program = startCommand('bash', ['-o', 'pipefail', '-c', script], {
        environment: {
          NODE: process.execPath,
          OPERATOR: operator,
          FROM: origin.url,
          TO: target.url,
          SECRETS_KEY,
        },
      });
      expect(await program.ended).toBe(0);
      expect(JSON.parse(program.stdout())).toMatchObject({ left_out: [] });
      expect(program.stderr()).toMatch(/^\d+ rows of \d+ tables written\.\n$/);
    },
    timeoutMs,
  );

  test(
    'a restore that is killed can be repeated in the same database',
    async () => {
      const killed = await startBuilt('server/operator/main', ['restore', file], {
        environment: to(),
      });
      await eventually(async () => {
        const [copying] = await query(
          target.url,
          `SELECT FROM pg_stat_activity WHERE query LIKE 'COPY "log_entries"%' AND datname = current_database()`,
        );
        expect(copying).toBeDefined();
      }, 120_000);
      expect(await killed.end('SIGKILL')).toBe('SIGKILL');
      expect((await operatorProcess(to).run(['restore', file])).code).toBe(0);
      const [counted] = await query(target.url, 'SELECT count(*)::int AS rows FROM log_entries');
      expect(counted).toEqual({ rows: 100_000 });
    },
    timeoutMs,
  );

  test(
    'a service that starts meanwhile waits for the restore, and serves the restored data',
    async () => {
      const restoring = operatorProcess(to).run(['restore', file]);
      await eventually(async () => {
        const [lock] = await query(
          target.url,
          `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
            WHERE locktype = 'advisory' AND objid = 7216945 AND datname = current_database()`,
        );
        expect(lock).toBeDefined();
      }, 120_000);
      const service = await startServiceProcess({ environment: to() });
      try {
        const { code, stderr } = await restoring;
        expect([code, stderr]).toEqual([0, '']);
        const [counted] = await query(target.url, 'SELECT count(*)::int AS rows FROM log_entries');
        expect(counted).toEqual({ rows: 100_000 });
      } finally {
        await service.end('SIGTERM');
      }
    },
    timeoutMs,
  );

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'a backup that gets %s leaves no file, and says so',
    async (signal, exitCode) => {
      const folder = await temporaryFolder();
      const program = await startBuilt(
        'server/operator/main',
        ['backup', path.join(folder, 'partial.backup')],
        { environment: from() },
      );
      await eventually(async () => {
        expect(await readdir(folder)).toHaveLength(1);
      }, 60_000);
      expect(await program.end(signal)).toBe(exitCode);
      expect(program.stderr()).toBe('Interrupted; no backup was written.\n');
      expect(await readdir(folder)).toEqual([]);
    },
    timeoutMs,
  );

  (canMakeDisks ? test : test.skip)(
    'on a full disk it says so, and leaves nothing there',
    async () => {
      const folder = await temporaryFolder();
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
      try {
        const full = path.join(folder, 'full.backup');
        const { code, stderr } = await operatorProcess(from).run(['backup', full]);
        expect([code, stderr]).toEqual([
          1,
          `${full}: there is no space left; no backup was written.\n`,
        ]);
        expect(await readdir(folder)).toEqual([]);
      } finally {
        execFileSync('umount', [folder]);
      }
    },
    timeoutMs,
  );

  (process.getuid?.() === 0 ? test : test.skip)(
    'without permission to write or read it says so',
    async () => {
      const user = { uid: 65_534, gid: 65_534 };
      const folder = await temporaryFolder();
      await chmod(folder, 0o755);
      const target = path.join(folder, 'not-mine.backup');
      const sayings = await Promise.all(
        [
          ['backup', target],
          ['restore', file],
        ].map(async (args) => {
          const program = await startBuilt('server/operator/main', args, {
            environment: { ...from(), SECRETS_KEY },
            user,
          });
          return [await program.ended, program.stderr()];
        }),
      );
      const lacks = (name: string) => [1, `${name}: this user lacks permission.\n`];
      expect(sayings).toEqual([lacks(target), lacks(file)]);
    },
    timeoutMs,
  );

  test('a foreign or damaged file is reported before PostgreSQL is contacted', async () => {
    const damaged = `${file}.damaged`;
    const bytes = await readFile(file);
    await writeFile(damaged, bytes.subarray(0, bytes.length / 2));
    const { code, stderr } = await operatorProcess(() => ({
      // Nothing listens there.
      DATABASE_URL: 'postgresql://user@127.0.0.1:1/none',
      SECRETS_KEY,
    })).run(['restore', damaged]);
    expect([code, stderr]).toEqual([
      1,
      `${damaged} cannot be restored, and nothing was changed. It is damaged: it ends too early.\n`,
    ]);
    expect((await stat(damaged)).isFile()).toBe(true);
    expect(await tablesThere()).toBe(0);
  });
});
