/** Roll back deployments, over real HTTP and PostgreSQL. */
import { describe, expect, test } from '@jest/globals';
import { newId } from '../../server/lib/data/typeid.js';
import { deploymentCalls } from '../helpers/service/deployments.js';
import { useService, useTenant } from '../helpers/service/service.js';

const service = useService();
const tenant = useTenant(service);
const deployments = deploymentCalls(tenant);

describe('Roll back a deployment', () => {
  test('reactivates the replaced deployment, step by step', async () => {
    const { id } = await tenant.newAgent();
    const first = await deployments.deploy(id, '1');
    const second = await deployments.deploy(id, '2');
    const third = await deployments.deploy(id, '3');

    const back = await deployments.rollBack(id, third.id);
    expect(back).toMatchObject({ id: second.id, version: '2', status: 'active' });
    expect(back.activated_at > second.activated_at).toBe(true);
    expect(back.created_at).toBe(second.created_at);
    expect(await deployments.active(id)).toBe(second.id);

    const further = await deployments.rollBack(id, second.id);
    expect(further.id).toBe(first.id);
    expect(await deployments.active(id)).toBe(first.id);
    const { data } = await deployments.list(id);
    expect(data.map(({ version, status }) => [version, status])).toEqual([
      ['3', 'rolled_back'],
      ['2', 'rolled_back'],
      ['1', 'active'],
    ]);

    const fourth = await deployments.deploy(id, '4');
    expect(fourth.replaced_deployment_id).toBe(first.id);
  });

  test('writes a log entry', async () => {
    const { id } = await tenant.newAgent();
    await deployments.deploy(id, '1');
    const second = await deployments.deploy(id, '2');
    await deployments.rollBack(id, second.id);
    const { data } = await tenant.api.expect('getLogs', 200, {
      path: { agent_id: id },
      query: { limit: 1 },
    });
    expect(data).toMatchObject([
      {
        level: 'info',
        message: "Version '2' was rolled back; version '1' is active in production again.",
        metadata: { rolled_back_deployment_id: second.id },
      },
    ]);
  });

  test('409 for one that replaced nothing, and for one that is not active', async () => {
    const { id } = await tenant.newAgent();
    const first = await deployments.deploy(id, '1');
    const refuse = async (deployment_id: string) => {
      const { error } = await tenant.api.expect('rollbackDeployment', 409, {
        path: { agent_id: id, deployment_id },
      });
      return error.message;
    };
    expect(await refuse(first.id)).toBe(
      'This deployment replaced no other, so there is nothing to roll back to.',
    );
    const second = await deployments.deploy(id, '2');
    expect(await refuse(first.id)).toBe(
      'Only an active deployment can be rolled back; this one is superseded.',
    );
    await deployments.rollBack(id, second.id);
    expect(await refuse(second.id)).toBe(
      'Only an active deployment can be rolled back; this one is rolled_back.',
    );
  });

  test("404 for a deployment that does not exist, or is another agent's", async () => {
    const { id } = await tenant.newAgent();
    const { id: other } = await tenant.newAgent();
    await deployments.deploy(other, '1');
    const { id: foreign } = await deployments.deploy(other, '2');
    for (const deployment_id of [foreign, newId('dep')]) {
      const { error } = await tenant.api.expect('rollbackDeployment', 404, {
        path: { agent_id: id, deployment_id },
      });
      expect(error.message).toBe(`There is no deployment '${deployment_id}'.`);
    }
  });

  test('of many concurrent ones, also on another instance, one wins and the others get the 409', async () => {
    const other = await service.another();
    const { id } = await tenant.newAgent();
    const first = await deployments.deploy(id, '1');
    const second = await deployments.deploy(id, '2');
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        (n % 2 ? tenant.api : other.api(tenant.key)).call('rollbackDeployment', {
          path: { agent_id: id, deployment_id: second.id },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      200, 409, 409, 409, 409, 409, 409, 409,
    ]);
    expect(await deployments.active(id)).toBe(first.id);
  });

  test('a repeat with the same Idempotency-Key rolls back once', async () => {
    const { id } = await tenant.newAgent();
    await deployments.deploy(id, '1');
    const second = await deployments.deploy(id, '2');
    const third = await deployments.deploy(id, '3');
    const call = {
      path: { agent_id: id, deployment_id: third.id },
      headers: { 'Idempotency-Key': 'undo-3' },
    };
    const answers = [
      await tenant.api.expect('rollbackDeployment', 200, call),
      await tenant.api.expect('rollbackDeployment', 200, call),
    ];
    expect(answers.map(({ data }) => data.id)).toEqual([second.id, second.id]);
    expect(await deployments.active(id)).toBe(second.id);
  });

  test('concurrent deployments and rollbacks always leave exactly one active', async () => {
    const { id } = await tenant.newAgent();
    await deployments.deploy(id, 'base');
    const latest = await deployments.deploy(id, 'latest');
    await Promise.all([
      tenant.api.call('rollbackDeployment', { path: { agent_id: id, deployment_id: latest.id } }),
      ...Array.from({ length: 4 }, (_, n) => deployments.deploy(id, `next-${n}`)),
    ]);
    const { data } = await deployments.list(id, { status: 'active' });
    expect(data).toHaveLength(1);
    expect(await deployments.active(id)).toBe(data[0]?.id);
  });
});
