/** `npm run db:migrate` and `npm run db:diff`, as a developer runs them. */
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Outcome, runNode } from '../../scripts/lib/child.js';
import { MIGRATIONS_DIRECTORY, SCHEMA_FILE } from '../../server/postgres/migrations/migrations.js';
import { createBareDatabase } from '../helpers/database/database.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});

const run = (script: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> =>
  runNode(['--import', 'tsx', `scripts/${script}.ts`, ...args], { env });

describe('db:migrate', () => {
  test('migrates DATABASE_URL, and says when there is nothing to do', async () => {
    const bare = await createBareDatabase();
    try {
      const env = { DATABASE_URL: bare.url };
      const first = await run('db-migrate', [], env);
      expect(first).toMatchObject({ code: 0, stderr: '' });
      expect(first.stdout).toMatch(/^(applied \d{14}_\w+\n)+The database is up to date\.\n$/);
      const second = await run('db-migrate', [], env);
      expect(second.stdout).toBe('The database is up to date.\n');
    } finally {
      await bare.drop();
    }
  });

  test('explains configuration errors', async () => {
    const outcome = await run('db-migrate', [], { DATABASE_URL: 'nonsense' });
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toMatch(/DATABASE_URL must be a URL such as postgresql:/);
    expect(outcome.stderr).not.toMatch(/ at .*\.ts/);
  });
});

describe('db:diff', () => {
  async function schemaWith(change: (schema: string) => string): Promise<string[]> {
    const schema = path.join(folder, 'schema.prisma');
    const migrations = path.join(folder, 'migrations');
    await cp(MIGRATIONS_DIRECTORY, migrations, { recursive: true });
    await writeFile(schema, change(await readFile(SCHEMA_FILE, 'utf8')));
    return ['--schema', schema, '--migrations', migrations];
  }

  test('writes a schema change as the newest migration; without a name it only prints it', async () => {
    const args = await schemaWith((schema) =>
      schema.replace('model Account {\n', 'model Account {\n  nickname String?\n'),
    );
    const shown = await run('db-diff', args);
    expect(shown.code).toBe(1);
    expect(shown.stdout).toContain('ALTER TABLE "accounts" ADD COLUMN     "nickname" TEXT;');
    expect(shown.stderr).toMatch(/--name/);

    const written = await run('db-diff', ['--name', 'add_nickname', ...args]);
    expect(written.code).toBe(0);
    const names = (await readdir(path.join(folder, 'migrations'))).sort();
    const newest = names.at(-2) ?? '';
    expect(newest).toMatch(/^\d{14}_add_nickname$/);
    const script = path.join(folder, 'migrations', newest, 'migration.sql');
    expect(await readFile(script, 'utf8')).toContain('"nickname" TEXT;');

    // Now schema and migrations agree, so there is nothing to print or write.
    const again = await run('db-diff', ['--name', 'nothing', ...args]);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^No difference/) });
    expect((await readdir(path.join(folder, 'migrations'))).sort()).toEqual(names);
  });

  test('explains an invalid schema', async () => {
    const args = await schemaWith((schema) => schema.replace('model Account {', 'model Account ['));
    const outcome = await run('db-diff', args);
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toMatch(/schema\.prisma/);
  });

  test.each([['--name', 'Not A Name'], ['--what']])('rejects %j', async (...args) => {
    expect(await run('db-diff', args)).toMatchObject({ code: 2 });
  });

  test('prints its usage', async () => {
    const outcome = await run('db-diff', ['--help']);
    expect(outcome).toMatchObject({ code: 0, stdout: expect.stringContaining('--name <name>') });
  });
});
