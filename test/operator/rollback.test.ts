/** Backups after a rollback: the tables are those of the next release, which this one can run on. */
import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { migrate } from '../../server/postgres/migrations/migrate.js';
import { MIGRATIONS_DIRECTORY } from '../../server/postgres/migrations/migrations.js';
import { type BareDatabase, createBareDatabase, query } from '../helpers/database/database.js';
import { useFixture } from '../helpers/service/fixture.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { useService } from '../helpers/service/service.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

const nextMigration = '20990101000000_next';
const script = `
  CREATE TABLE plans (id text PRIMARY KEY, steps integer GENERATED ALWAYS AS IDENTITY);
  ALTER TABLE agents ADD COLUMN plan text, ADD COLUMN labels jsonb NOT NULL DEFAULT '{}', ALTER COLUMN name DROP NOT NULL;
  ALTER TABLE invocations ADD COLUMN cost bigint NOT NULL DEFAULT 0;`;

const service = useService();
const bare = () => useFixture(createBareDatabase, (made: BareDatabase) => made.drop());
const original = bare();
const copy = bare();
const refused = bare();
const operatorOn = ({ url }: BareDatabase) => operatorInProcess(service, { DATABASE_URL: url });

let next: string;
let file: string;

beforeAll(async () => {
  next = await temporaryFolder();
  await cp(MIGRATIONS_DIRECTORY, next, { recursive: true });
  await mkdir(path.join(next, nextMigration));
  await writeFile(path.join(next, nextMigration, 'migration.sql'), script);
  file = path.join(await temporaryFolder(), 'rollback.backup');
  await migrate({ url: original.url, directory: next });
  await query(
    original.url,
    `WITH account AS (INSERT INTO accounts (id, name) VALUES ('acct_1', 'acme')),
          plan AS (INSERT INTO plans (id) VALUES ('plan_1'))
     INSERT INTO agents (id, account_id, name, model, updated_at, plan, labels)
     VALUES ('agent_1', 'acct_1', 'planned', 'builtin/echo', now(), 'plan_1', '{"a": "b\\n"}'),
            ('agent_2', 'acct_1', NULL, 'builtin/echo', now(), NULL, '{}')`,
  );
});

describe('a backup of the tables of a compatible release', () => {
  test('is restored by the release that made it, without what only the other one has', async () => {
    // This release runs on these tables.
    expect(await migrate({ url: original.url })).toEqual([]);
    await operatorOn(original).json('backup', file);
    const { code, stdout, stderr } = await operatorOn(copy).run(['restore', file]);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\d+ rows of \d+ tables restored, as of /),
      stderr:
        'Left out what only a newer release has: plans, agents.plan, agents.labels, invocations.cost. ' +
        'To keep it, restore with that release.\n',
    });
    expect(await query(copy.url, 'SELECT id, name, model FROM agents ORDER BY id')).toEqual([
      { id: 'agent_1', name: 'planned', model: 'builtin/echo' },
      { id: 'agent_2', name: null, model: 'builtin/echo' },
    ]);
    const columns = await query(
      copy.url,
      `SELECT FROM information_schema.columns WHERE column_name IN ('plan', 'labels', 'cost', 'left_out_0')`,
    );
    expect(columns).toEqual([]);
  });

  test('can be upgraded again after that', async () => {
    expect(await migrate({ url: copy.url })).toEqual([]);
    expect(await migrate({ url: copy.url, directory: next })).toEqual([nextMigration]);
    expect(await query(copy.url, 'SELECT labels FROM agents LIMIT 1')).toEqual([{ labels: {} }]);
  });

  test('is refused if this release cannot run on them', async () => {
    await query(
      original.url,
      `UPDATE settings SET value = to_jsonb('${nextMigration}'::text) WHERE key = 'compatible_from'`,
    );
    await operatorOn(original).run(['backup', file, '--force']);
    const { code, stderr } = await operatorOn(refused).run(['restore', file]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `nothing was changed. Its tables are newer than this release, which does not know ${nextMigration}.`,
    );
    expect(await query(refused.url, `SELECT FROM pg_class WHERE relname = 'agents'`)).toEqual([]);
  });
});
