/** Deleting old rows reads only those rows, also before PostgreSQL has statistics of the tables. */
import { beforeAll, expect, test } from '@jest/globals';
import { lowestIdAt } from '../../server/lib/data/typeid.js';
import type { Queryable } from '../../server/postgres/connection.js';
import { deleteOldInvocations } from '../../server/invocations/retention.sql.js';
import { deleteOldLogEntries } from '../../server/logs/logs.js';
import { useDatabase } from '../helpers/database/database.js';
import { fetchedBy } from '../helpers/database/plans.js';
import { insertAccount, insertAgent } from '../helpers/database/rows.js';

const made = useDatabase();
const batch = 200;
let accountId: string;

beforeAll(async () => {
  accountId = await insertAccount(made.database);
  const agentId = await insertAgent(made.database, accountId);
  for (const insert of [
    `invocations (account_id, agent_id, id, status, duration_ms, created_at)
     SELECT $1, $2, 'req_0' || n, 'succeeded', 1, now() - n * interval '1 ms'`,
    `log_entries (account_id, agent_id, id, logged_at, level, message)
     SELECT $1, $2, 'log_0' || n, now() - n * interval '1 ms', 'info', 'Hello'`,
  ]) {
    await made.database.pool.query(`INSERT INTO ${insert} FROM generate_series(1, 10000) AS n`, [
      accountId,
      agentId,
    ]);
  }
});

test.each<[string, (database: Queryable) => Promise<number>]>([
  [
    'invocations',
    (db) => deleteOldInvocations(db, accountId, lowestIdAt('req', new Date()), batch),
  ],
  ['log_entries', (db) => deleteOldLogEntries(db, accountId, new Date(), batch)],
])('of %s', async (table, deleteOld) => {
  expect(await fetchedBy(made.database, table, deleteOld)).toBeLessThan(5 * batch);
});
