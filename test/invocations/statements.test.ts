/** What invocations without tools cost the database: no statement was added for what only runs with tools need. */
import { expect, test } from '@jest/globals';
import { recordStatements } from '../helpers/database/statements.js';
import type { Call } from '../helpers/service/api.js';
import { message, messageIn, useServiceWithModel } from './service-with-model.js';

const fixture = useServiceWithModel();

const ofInvocations =
  /\b(invocations|session_leases|idempotency_records|memory_entries|log_entries)\b/;
/** Housekeeping runs at the same time: partitions and usage. The queue is read for due invocations. */
const ofHousekeeping =
  /\b(CREATE|LOCK|ALTER) TABLE\b|\busage_deltas (LIMIT|WHERE)\b|\bFROM invocations WHERE status\b/;

async function statementsOf(call: Call): Promise<string[]> {
  const sent = await recordStatements(() => fixture.tenant.api.expect('invokeAgent', 200, call));
  return sent
    .map(({ text }) => text.replace(/\s+/g, ' ').trim())
    .filter((text) => ofInvocations.test(text) && !ofHousekeeping.test(text))
    .map((text) => text.split(' ').slice(0, 3).join(' '));
}

const record = 'WITH invocation AS';

test('each form of an invocation sends the statements that it needs', async () => {
  const { name } = await fixture.newAgent();
  // Fills the caches.
  await statementsOf(message(name, 'Hi'));
  expect(await statementsOf(message(name, 'Hi'))).toEqual([record]);
  expect(await statementsOf(messageIn('chat', name, 'Hi'))).toEqual([
    'INSERT INTO session_leases',
    'SELECT owner, message.id,',
    'WITH held AS',
    record,
  ]);
  const headers = { 'idempotency-key': 'of-this-test' };
  expect(await statementsOf(message(name, 'Hi', { headers }))).toEqual([
    'INSERT INTO idempotency_records',
    'WITH held AS',
    record,
  ]);
});
