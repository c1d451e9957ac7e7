/** A changed policy takes effect on every instance, even if its announcement is lost. */
import { expect, test } from '@jest/globals';
import { announceChanges } from '../../server/postgres/changes.js';
import { eventually } from '../helpers/eventually.js';
import { useInstance, useService, useTenant } from '../helpers/service/service.js';
import { deleteAgent } from '../helpers/database/rows.js';

const service = useService();
const other = useInstance(service);
const tenant = useTenant(service);

const closed = { security: { enforceHttps: true } };

const both = () => [tenant.api, other.api(tenant.key)];

async function expectEverywhere(status: 200 | 403, agent_id: string) {
  await eventually(async () => {
    for (const api of both()) {
      expect((await api.call('getAgent', { path: { agent_id } })).status).toBe(status);
    }
  });
}

test('a policy that is added, and removed again, takes effect on both instances', async () => {
  const { id, name } = await tenant.newAgent();
  const change = (policy: object) =>
    service.database.transaction(async (transaction) => {
      await transaction.prisma.agent.update({ where: { id }, data: { policy } });
      await announceChanges(transaction, [id]);
    });
  for (const reference of [id, name]) {
    await expectEverywhere(200, reference);
    await change(closed);
    await expectEverywhere(403, reference);
    await change({});
    await expectEverywhere(200, reference);
  }
});

test('a policy that is added hides its agent from lists on both instances', async () => {
  const { id } = await tenant.newAgent();
  const listed = async (api: (typeof tenant)['api']) =>
    (await api.expect('listAgents', 200)).data.map((agent) => agent.id);
  for (const api of both()) expect(await listed(api)).toContain(id);
  await service.database.transaction(async (transaction) => {
    await transaction.prisma.agent.update({ where: { id }, data: { policy: closed } });
    await announceChanges(transaction, [id]);
  });
  await eventually(async () => {
    for (const api of both()) expect(await listed(api)).not.toContain(id);
  });
});

test('without an announcement it takes effect when the cache expires', async () => {
  const { id } = await tenant.newAgent();
  await expectEverywhere(200, id);
  await service.database.prisma.agent.update({ where: { id }, data: { policy: closed } });
  await expectEverywhere(403, id);
});

test('an agent with the name of a deleted one does not inherit its policy', async () => {
  const { id } = await tenant.newAgent({ name: 'phoenix', policy: closed });
  await expectEverywhere(403, 'phoenix');
  await service.database.transaction((transaction) =>
    deleteAgent(transaction, tenant.accountId, id),
  );
  await tenant.newAgent({ name: 'phoenix' });
  await expectEverywhere(200, 'phoenix');
});

test('a deployment and its rollback do not change the policy', async () => {
  const { id } = await tenant.newAgent();
  const path = { agent_id: id };
  const body = { environment: 'production', version: 'v1' };
  await tenant.api.expect('createDeployment', 201, { path, body });
  const { data } = await tenant.api.expect('createDeployment', 201, {
    path,
    body: { ...body, version: 'v2' },
  });
  await service.database.prisma.agent.update({
    where: { id },
    data: { policy: { security: { ipWhitelist: { enabled: true, addresses: ['127.0.0.1'] } } } },
  });
  await tenant.api.expect('rollbackDeployment', 200, {
    path: { ...path, deployment_id: data.id },
  });
  const { policy } = await service.database.prisma.agent.findUniqueOrThrow({ where: { id } });
  expect(policy).toMatchObject({ security: { ipWhitelist: { enabled: true } } });
});
