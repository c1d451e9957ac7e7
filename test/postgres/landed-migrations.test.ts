/** A migration that has landed never changes: databases that have had it would differ from new ones, or not start. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import {
  MIGRATIONS_DIRECTORY,
  migrationNames,
} from '../../server/postgres/migrations/migrations.js';

/** The first characters of the SHA-256 of each. A new migration is added here, and no line changes after that. */
const landed = {
  '20261118000000_init': 'b3b3a4e5f0b7fc7f',
  '20261118220000_turns': '8fd4e7bf24923a8d',
  '20261119030000_daily_caps': '341fee7204fa496c',
  '20261119040000_webhook_created_by': 'e8d81e0e9d58d40e',
  '20261119050000_vacuum_queues': '1081cba07042dadf',
  '20261119060000_codes_by_caller': 'a5dde620eb4c2659',
  '20261119070000_finish_clearings': '2647256791b227a6',
  '20261119080000_runs': 'c88429ce24a89619',
  '20261119100000_schedules': '7113ced71d12b517',
  '20261119204344_hops': '8151a5e883841575',
  '20261119120000_environments': 'ae6e125e24a2bbb4',
};

test('every migration is as it landed', async () => {
  const names = await migrationNames(MIGRATIONS_DIRECTORY);
  const hashes = await Promise.all(
    names.map(async (name) => {
      const script = await readFile(path.join(MIGRATIONS_DIRECTORY, name, 'migration.sql'));
      return [name, createHash('sha256').update(script).digest('hex').slice(0, 16)];
    }),
  );
  expect(Object.fromEntries(hashes)).toEqual(landed);
});
