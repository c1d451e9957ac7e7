/** `operator deletions`: lists deleted agents whose rows are still being purged, with their progress. */
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { purgeRows } from '../../server/postgres/retention/purges.js';
import { eventually } from '../helpers/eventually.js';
import { backdateDeletions } from '../helpers/database/purging.js';
import { generateHistory, generateMemory } from '../helpers/database/large-agent.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { useService, useTenant } from '../helpers/service/service.js';

const service = useService();
const tenant = useTenant(service, { isOnlyAccount: true });

/** More than one step removes. */
const rows = 5_000;

test('lists deletions with their progress until they are complete, and logs them', async () => {
  const operator = operatorInProcess(service);
  const untilNone = () =>
    eventually(async () => {
      expect(await operator.json('deletions', 'list')).toEqual([]);
    }, 60_000);
  await untilNone();
  const { id, name } = await tenant.newAgent();
  await generateHistory(service.database, { ...tenant, agentId: id }, rows);
  await generateMemory(service.database, id, rows);
  const holder = new pg.Client({ connectionString: service.databaseUrl });
  await holder.connect();
  await holder.query(`SELECT pg_advisory_lock(hashtextextended('housekeeping', 0))`);
  await tenant.api.expect('deleteAgent', 200, { path: { agent_id: id } });
  await tenant.api.expect('getAgent', 404, { path: { agent_id: id } });
  const pending = await operator.json('deletions', 'list');
  expect(pending).toEqual(
    expect.arrayContaining(
      ['invocations', 'log_entries', 'memory_entries'].map((table) => ({
        id,
        name,
        account_id: tenant.accountId,
        table,
        removed_rows: 0,
        since: expect.any(String),
      })),
    ),
  );
  const { stdout } = await operator.run(['deletions', 'list']);
  expect(stdout).toMatch(new RegExp(`${name} +${id} +log_entries +0 `));
  await eventually(async () => {
    await service.database.transaction((transaction) =>
      purgeRows(transaction, { batch: 2_000, deletedBefore: new Date(Date.now() + 60_000) }),
    );
    expect(await operator.json('deletions', 'list')).toEqual(
      expect.arrayContaining([expect.objectContaining({ removed_rows: 2_000 })]),
    );
  });
  await backdateDeletions(service.database);
  await holder.end();
  await untilNone();
  const told = service.log.filter((line) => line.includes('deletion finished'));
  expect(told.map((line) => (JSON.parse(line) as { table: string }).table)).toEqual(
    expect.arrayContaining(['invocations', 'log_entries', 'memory_entries']),
  );
});
