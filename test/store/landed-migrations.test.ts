/** A migration that has landed never changes: databases that have had it would differ from new ones, or not start. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import {
  MIGRATIONS_DIRECTORY,
  migrationNames,
} from '../../server/store/postgres/migrations/migrations.js';

/** The first characters of the SHA-256 of each. A new migration is added here, and no line changes after that. */
const landed = {
  '20261115000000_init': '773832bbe02a0f5e',
  '20261115010000_session_turns': 'c7b6d2ed65fcd8f7',
  '20261115020000_memory_words': '89b6010535ffd313',
  '20261115040000_agents_by_name': '75a21146ecd37eb2',
  '20261115050000_cheaper_history': 'c071ccb4ed1cfe74',
  '20261115060000_sessions_of_users': 'ebb563163fe1ed81',
  '20261115070000_key_creators': 'bf50276ca7603f02',
  '20261115075000_bounded_words': '30051ba0c0a97c6d',
  '20261115080000_account_caps': '76487e73958d07aa',
  '20261115090000_sealed_keys': '15eeb42763ace493',
  '20261115100000_background_deletion': '1992cfb2813e0192',
  '20261115100500_agent_count': '792ced155db4925a',
  '20261116000000_agent_options': '1bbc7ab374b9b124',
  '20261116010000_stream_events': 'f162c488cb73c224',
  '20261116020000_budgets': 'bbaec6ffc8c7e20c',
  '20261116021000_events_by_request': '7f841133a32ceb56',
  '20261116030000_acted_invocations': '7fa1fe0a1562c239',
  '20261116040000_partitioned_history': 'ef08d6045790bbb2',
  '20261116041000_visible_deletions': '90a1c01083206be1',
  '20261116050000_trace_context': 'b54d9269f470c190',
  '20261117010000_sealed_streams': '8c33402191ec3a97',
  '20261117100000_plain_word_search': '681c7b72cbaa0cec',
  '20261117110000_instances': 'e6495f0eebcd59da',
  '20261117120000_five_minute_rollups': 'b08ca4b5265d99ed',
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
