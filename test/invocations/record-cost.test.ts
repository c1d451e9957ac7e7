/** Finishing an asynchronous invocation reads only its row, also before PostgreSQL has statistics of the table. */
import { beforeAll, expect, test } from '@jest/globals';
import { finishClaimed } from '../../server/invocations/queue.sql.js';
import { useDatabase } from '../helpers/database/database.js';
import { fetchedBy } from '../helpers/database/plans.js';
import { insertAccount, insertAgent } from '../helpers/database/rows.js';

const made = useDatabase();
let accountId: string;
let agentId: string;

beforeAll(async () => {
  accountId = await insertAccount(made.database);
  agentId = await insertAgent(made.database, accountId);
  await made.database.pool.query(
    `INSERT INTO invocations (account_id, agent_id, id, status, message, available_at, lease_owner, created_at)
     SELECT $1, $2, 'req_' || n, (CASE n WHEN 1 THEN 'running' ELSE 'succeeded' END)::invocation_status,
            CASE n WHEN 1 THEN 'Hello' END, CASE n WHEN 1 THEN now() END, CASE n WHEN 1 THEN 'worker' END, now()
       FROM generate_series(1, 10000) AS n`,
    [accountId, agentId],
  );
});

test('of ten thousand invocations, a few rows are read', async () => {
  const row = {
    id: 'req_1',
    agentId,
    worker: 'worker',
    deploymentId: null,
    model: 'builtin/echo',
    status: 'succeeded',
    remember: true,
    tokensUsed: 1,
    durationMs: 1,
    errorCode: null,
    finishedAt: new Date(),
  };
  let finished = 0;
  const fetched = await fetchedBy(made.database, 'invocations', async (database) => {
    finished = await finishClaimed(database, accountId, [row]);
  });
  expect(finished).toBe(1);
  expect(fetched).toBeLessThan(10);
});
