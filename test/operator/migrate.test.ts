/** `operator migrate` while instances are running that are too old for the new tables. */
import { cp, readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { migrate } from '../../server/postgres/migrations/migrate.js';
import {
  MIGRATIONS_DIRECTORY,
  migrationNames,
  previousRelease,
} from '../../server/postgres/migrations/migrations.js';
import { type BareDatabase, createBareDatabase, query } from '../helpers/database/database.js';
import { useFixture } from '../helpers/service/fixture.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { useService } from '../helpers/service/service.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

const names = await migrationNames(MIGRATIONS_DIRECTORY);
const { version: previous } = await previousRelease();

const bare: BareDatabase = useFixture(createBareDatabase, (made) => made.drop(), { perTest: true });
const service = useService();
const run = (...args: string[]) => operatorInProcess(service, { DATABASE_URL: bare.url }).run(args);

/** Migrates to the first release, and records a running instance. */
async function startInstance(version: string, age = '0 s'): Promise<void> {
  const directory = await temporaryFolder();
  const [first = ''] = names;
  await cp(path.join(MIGRATIONS_DIRECTORY, first), path.join(directory, first), {
    recursive: true,
  });
  expect(await readdir(directory)).toEqual([first]);
  await migrate({ url: bare.url, directory });
  await query(
    bare.url,
    `INSERT INTO instances (id, role, host, pid, version, secrets_key_ids, providers, allows_private_targets, variables, heartbeat_at)
     VALUES ('one', 'service', 'web-1', 4711, '${version}', '{}', '{}', false, '{}', now() - interval '${age}')`,
  );
}

test('is refused, naming the instances, unless --yes is given', async () => {
  await startInstance('0.0.9');
  const warning =
    'These are older than the release before this one, and may fail on its tables: service 0.0.9 on web-1 (process 4711). ' +
    'Upgrade one release at a time, or stop them first.';
  expect(await run('migrate')).toEqual({
    code: 5,
    stdout: '',
    stderr: `${warning} Nothing was changed; --yes migrates nevertheless.\n`,
  });
  expect(await query(bare.url, 'SELECT migration_name FROM _prisma_migrations')).toHaveLength(1);
  expect(await run('migrate', '--yes')).toEqual({
    code: 0,
    stdout: [
      ...names.slice(1).map((name) => `Applied ${name}.`),
      'The database is up to date.\n',
    ].join('\n'),
    stderr: `${warning}\n`,
  });
  // Nothing is pending any more, so nothing breaks.
  expect(await run('migrate')).toMatchObject({ code: 0, stderr: '' });
});

test.each([
  ['the previous release', previous, '0 s'],
  ['a later version', '0.10.0', '0 s'],
  ['an instance that is gone', '0.0.9', '1 h'],
])('continues beside %s', async (_what, version, age) => {
  await startInstance(version, age);
  expect(await run('migrate')).toMatchObject({ code: 0, stderr: '' });
});
