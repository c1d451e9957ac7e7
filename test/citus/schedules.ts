/** Schedules of an account on one worker of the cluster, from their manifest to their deletion, beside instances that tick. */
import { expect } from '@jest/globals';
import { applyManifests } from '../../server/agents/manifests/manifests.js';
import { setAgentStatus } from '../../server/agents/agents.js';
import type { Caller } from '../../server/accounts/caller.js';
import { limitsOf } from '../../server/accounts/tiers.js';
import { newId } from '../../server/lib/data/typeid.js';
import {
  listSchedules,
  pauseSchedule,
  resumeSchedule,
  runSchedule,
} from '../../server/schedules/schedules.js';
import { eraseUser } from '../../server/users/users.js';
import type { OpenDatabase } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { type Tenant, testSecrets } from '../helpers/service/service.js';
import { insertSchedule, invocationsOf, makeDue, schedulesOf } from '../schedules/due-schedules.js';

const manifest = (cron: string) => ({
  name: 'reporter',
  model: 'builtin/echo',
  instructions: '',
  timeout: '60s',
  history: 20,
  remember: true,
  summarize: false,
  recall: false,
  schedules: ['one', 'two', 'three'].map((name) => ({
    name,
    cron,
    timezone: 'Europe/Paris',
    message: 'Report.',
    context: { user_id: 'ada' },
  })),
});

export async function tickOnCitus({
  database,
  tenant: { accountId, api },
}: {
  database: OpenDatabase;
  tenant: Tenant;
}): Promise<void> {
  const [applied] = await applyManifests(database, accountId, [manifest('0 2 * * *')]);
  const agentId = applied?.id ?? '';
  const path = { agent_id: agentId };
  // Also of an agent that does not exist any more.
  await insertSchedule(database, { accountId, agentId: newId('agent') });
  const outcomes = async () => {
    const { data } = await api.expect('getAgent', 200, { path });
    return data.schedules?.map(({ last_run }) => last_run?.outcome);
  };
  const succeeded = ['succeeded', 'succeeded', 'succeeded'];
  await makeDue(database, { agentId }, new Date(Date.now() - 2 * 86_400_000));
  await eventually(async () => {
    expect(await outcomes()).toEqual(succeeded);
  });
  expect(await invocationsOf(database, { agentId })).toHaveLength(3);
  const { data: late } = await api.expect('getLogs', 200, { path, query: { level: 'warn' } });
  expect(late.map(({ metadata }) => metadata['schedule']).sort()).toEqual(['one', 'three', 'two']);
  await eventually(async () => {
    expect(await database.prisma.schedule.count({ where: { accountId } })).toBe(3);
  });

  const operator: Caller = {
    id: 'operator',
    keyId: null,
    userId: null,
    accountId,
    limits: limitsOf('enterprise', {}),
    permissions: new Set(),
    expiresAt: null,
    agentId: null,
  };
  const reference = { agent: agentId, name: 'one' };
  const id = await runSchedule(database, operator, reference);
  await eventually(async () => {
    expect(await outcomes()).toEqual(succeeded);
  });
  await pauseSchedule(database, operator, reference);
  expect(await resumeSchedule(database, operator, reference)).toBeInstanceOf(Date);
  const listed = await listSchedules(database, operator, { agent: undefined });
  expect(listed.map(({ lastRequestId }) => lastRequestId)).toContain(id);

  await applyManifests(database, accountId, [manifest('0 3 * * *')]);
  await setAgentStatus(database, operator, { reference: agentId, status: 'stopped' });
  await makeDue(database, { agentId });
  await setAgentStatus(database, operator, { reference: agentId, status: 'running' });
  const erasure = { database, secrets: testSecrets, caller: operator, userId: 'ada' };
  expect(await eraseUser(erasure)).toMatchObject({ schedules: 3 });
  await applyManifests(database, accountId, [manifest('0 4 * * *')]);
  await applyManifests(database, accountId, [{ ...manifest('0 4 * * *'), schedules: [] }]);
  expect(await schedulesOf(database, { agentId })).toEqual([]);
  await insertSchedule(database, { accountId, agentId }, { nextAt: null });
  await api.expect('deleteAgent', 200, { path });
  expect(await schedulesOf(database, { agentId })).toEqual([]);
}
