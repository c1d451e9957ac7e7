/** PostgreSQL caches plans while tables grow: rows are found by key even if the table was empty when the plan was made. */
import { expect, test } from '@jest/globals';
import type { Statement } from '../../server/postgres/connection.js';
import type { Database } from '../../server/postgres/database.js';
import { followRecord, renewRecord, settleKeys } from '../../server/idempotency/records.sql.js';
import {
  releaseSessions,
  releaseSession,
  renewSession,
} from '../../server/invocations/sessions/lease.sql.js';
import { foldUsage } from '../../server/metrics/usage.js';
import { createTestDatabase, type TestDatabase } from '../helpers/database/database.js';
import { useFixture } from '../helpers/service/fixture.js';
import { nodesOf, type PlanNode } from '../helpers/database/plans.js';

// One connection, so that prepared statements and settings apply to the next statement.
const made: TestDatabase = useFixture(
  async () => {
    const fixture = await createTestDatabase({ poolSize: 1 });
    // As autovacuum does when all rows are gone.
    await fixture.database.pool.query(
      'VACUUM ANALYZE idempotency_records, session_leases, usage_deltas',
    );
    return fixture;
  },
  (fixture) => fixture.close(),
);

const claim = { accountId: 'acct_1', id: Buffer.alloc(32), owner: 'req_1' };
const key = { id: Buffer.alloc(32), owner: 'req_1', sealedResponse: null };
const session = {
  accountId: 'acct_1',
  agentId: 'agent_1',
  userId: null,
  sessionId: 'one',
  environment: null,
};

const uses: Record<string, (database: Database) => Promise<unknown>> = {
  'renews claims': (database) => renewRecord(database, claim, 1),
  'notes that a stream is followed': (database) => followRecord(database, claim),
  'renews sessions': (database) => renewSession(database, { session, owner: 'req_1' }, 1),
  'releases a session': (database) => releaseSession(database, { session, owner: 'req_1' }),
  'releases the sessions of invocations': (database) => releaseSessions(database, 'acct_1', []),
  'answers keys': (database) => settleKeys(database, 'acct_1', [{ ...key, responseStatus: 200 }]),
  'releases keys': (database) => settleKeys(database, 'acct_1', [{ ...key, responseStatus: null }]),
  'adds usage up': (database) => foldUsage(database, 'acct_1', 1),
};

test.each(Object.entries(uses))('%s', async (_what, use) => {
  const [statement] = await sentBy(use);
  const plan = await keptPlan(statement);
  // The oldest rows are read from the start of an index, up to a limit.
  const reads = nodesOf(plan, (node) => node['Node Type'] === 'Limit').filter(
    (node) => /Scan$/.test(node['Node Type']) && isBusy(node['Relation Name']),
  );
  expect(reads).not.toEqual([]);
  expect(reads.filter((node) => node['Index Cond'] === undefined)).toEqual([]);
});

const isBusy = (table = '') =>
  ['idempotency_records', 'session_leases', 'usage_deltas'].includes(table);

/** The statements that it would send. */
async function sentBy(use: (database: Database) => Promise<unknown>): Promise<Statement[]> {
  const sent: Statement[] = [];
  await use({
    ...made.database,
    run: (statement) => {
      sent.push(statement);
      return Promise.resolve([]);
    },
  });
  expect(sent).toHaveLength(1);
  return sent;
}

/** The generic plan, with the settings of the service's connections. */
async function keptPlan({ name, text } = { name: '', text: '' }): Promise<PlanNode> {
  const run = (statement: string) =>
    made.database.run<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>({ name: '', text: statement }, []);
  const parameters = Math.max(...Array.from(text.matchAll(/\$(\d+)/g), ([, n]) => Number(n)));
  await run('SET plan_cache_mode = force_generic_plan');
  await run(`PREPARE "${name}" AS ${text}`);
  const [explained] = await run(
    `EXPLAIN (FORMAT JSON) EXECUTE "${name}" (${Array(parameters).fill('NULL').join(', ')})`,
  );
  if (!explained) throw new Error('PostgreSQL gave no plan.');
  return explained['QUERY PLAN'][0].Plan;
}
