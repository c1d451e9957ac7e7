/** An upgrade under load, and back: the new release migrates and takes over without failed requests. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import {
  readReleases,
  releaseBefore,
  parseSchema,
  describeSchema,
} from '../../scripts/release/schemas.js';
import { MIGRATIONS_DIRECTORY } from '../../server/postgres/migrations/migrations.js';
import type { AgentCompletedEvent, AgentFailedEvent } from '../../generated/api.js';
import { apiClient, statusAt } from '../helpers/service/api.js';
import { createBareDatabase, query } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import type { ServiceProcess } from '../helpers/programs/process.js';
import { type Receipt, startReceiver } from '../helpers/servers/receiver.js';
import { testSecretsKey } from '../helpers/service/service.js';
import { root, temporaryFolder } from '../helpers/programs/workspace.js';
import { startLoad } from './load.js';
import { makeRelease, startRelease } from './release.js';

/** Makes sure that there is always something to migrate that needs locks on tables in use. */
const synthetic = {
  name: '20990101000000_synthetic',
  script: `
    CREATE TABLE plans (id text PRIMARY KEY);
    ALTER TABLE agents ADD COLUMN plan text;
    ALTER TABLE invocations ADD COLUMN cost bigint NOT NULL DEFAULT 0;
    ALTER TABLE log_entries ADD COLUMN trace text;`,
};

function invocationOf({ body }: Receipt): string {
  const { data } = JSON.parse(body.toString()) as AgentCompletedEvent | AgentFailedEvent;
  return data.request_id;
}

const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
  version: string;
};

test('an upgrade and its reversal lose no request, no accepted invocation and no event', async () => {
  const before = releaseBefore(await readReleases(), version);
  if (!before) throw new Error('There is no release to upgrade from: npm run release:schema');
  const last = before.migrations.at(-1)?.name ?? '';
  const own = parseSchema(await describeSchema(MIGRATIONS_DIRECTORY));
  // A real one, built from its tag by .ci/previous-release, if there is one. Otherwise this build, which needs its own migrations.
  const built = process.env['PREVIOUS_RELEASE'] ?? '';
  const previous = built === '' ? await makeRelease({ migrations: own, runsBeside: last }) : built;
  const next = await makeRelease({
    migrations: [...own, synthetic],
    runsBeside: built === '' ? (own.at(-1)?.name ?? '') : last,
  });

  const database = await createBareDatabase();
  const environment = {
    DATABASE_URL: database.url,
    SECRETS_KEY: testSecretsKey.toString('base64'),
    DATA_DIR: await temporaryFolder(),
    PORT: '0',
    DATABASE_POOL_SIZE: '8',
    LAME_DUCK_MS: '2000',
    ALLOW_PRIVATE_TARGETS: 'true',
  };
  const instances: ServiceProcess[] = [];
  const start = async (folder: string) => {
    const instance = await startRelease(folder, environment);
    instances.push(instance);
    return instance;
  };
  const reader = new pg.Client({ connectionString: database.url });
  const receiver = await startReceiver();
  try {
    const old = await start(previous);
    const key = await old.firstKey();
    await apiClient(old.url, key).expect('createWebhook', 201, {
      body: { url: receiver.url, events: ['agent.completed', 'agent.failed'] },
    });
    const load = startLoad(key);
    load.add(old.url);
    await load.reached(100);

    // A session reads for a while, like a report or a backup: the migration must not make all others wait behind it.
    await reader.connect();
    await reader.query('BEGIN; SELECT count(*) FROM invocations');
    const starting = start(next);
    await eventually(async () => {
      const waiting = await query(
        database.url,
        `SELECT FROM pg_stat_activity
          WHERE application_name LIKE '%migration' AND wait_event_type = 'Lock' AND datname = current_database()`,
      );
      expect(waiting).not.toEqual([]);
    }, 120_000);
    // All others continued while it waited.
    await load.reached(load.done() + 200);
    await reader.query('COMMIT');
    const upgraded = await starting;
    load.add(upgraded.url);
    await load.reached(load.done() + 100);
    expect(await old.end('SIGTERM')).toBe(0);
    load.remove(old.url);
    await load.reached(load.done() + 100);

    // The previous release starts on the tables of the new one, and takes over again.
    const again = await start(previous);
    load.add(again.url);
    expect(await upgraded.end('SIGTERM')).toBe(0);
    load.remove(upgraded.url);
    await load.reached(load.done() + 50);

    const { failures, invoked, accepted } = await load.stop();
    expect(failures).toEqual([]);
    expect(accepted.length).toBeGreaterThan(20);
    await eventually(async () => {
      const invocations = await query<{ id: string; status: string }>(
        database.url,
        'SELECT id, status FROM invocations',
      );
      expect(invocations.filter(({ status }) => status !== 'succeeded')).toEqual([]);
      expect(invocations.map(({ id }) => id).sort()).toEqual(invoked.toSorted());
    }, 60_000);
    await eventually(() => {
      const delivered = new Set(receiver.receipts.map(invocationOf));
      expect(invoked.filter((id) => !delivered.has(id))).toEqual([]);
    }, 60_000);
    expect(await query(database.url, 'SELECT FROM plans')).toEqual([]);
    expect(await statusAt(`${again.url}/readyz`)).toBe(200);
  } finally {
    await reader.end();
    await receiver.close();
    await Promise.all(instances.map((instance) => instance.end('SIGTERM')));
    await database.drop();
  }
}, 400_000);
