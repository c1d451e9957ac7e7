/** List deployments, over real HTTP and PostgreSQL. */
import { describe, expect, test } from '@jest/globals';
import { deploymentCalls } from '../helpers/service/deployments.js';
import { useService, useTenant } from '../helpers/service/service.js';

const service = useService();
const tenant = useTenant(service);
const deployments = deploymentCalls(tenant);

describe('List Deployments', () => {
  test('sorts, filters and counts exactly, and its pages never overlap', async () => {
    const { id } = await tenant.newAgent();
    for (const version of ['b', 'a', 'c']) await deployments.deploy(id, version);
    for (const version of ['a', 'z']) await deployments.deploy(id, version, 'staging');
    const versions = async (query: Record<string, string | number>) =>
      (await deployments.list(id, query)).data.map(({ version }) => version);

    expect(await versions({})).toEqual(['z', 'a', 'c', 'a', 'b']);
    expect(await versions({ sort: 'created_at' })).toEqual(['b', 'a', 'c', 'a', 'z']);
    expect(await versions({ sort: 'version' })).toEqual(['a', 'a', 'b', 'c', 'z']);
    expect(await versions({ sort: '-version' })).toEqual(['z', 'c', 'b', 'a', 'a']);
    expect(await versions({ environment: 'staging' })).toEqual(['z', 'a']);
    expect(await versions({ status: 'active' })).toEqual(['z', 'c']);
    expect(await versions({ environment: 'production', status: 'superseded' })).toEqual(['a', 'b']);

    const pages = [0, 2, 4].map((offset) =>
      deployments.list(id, { sort: 'version', limit: 2, offset }),
    );
    const [first, second, third] = await Promise.all(pages);
    const ids = [first, second, third].flatMap((page) => page?.data.map((one) => one.id) ?? []);
    expect(new Set(ids).size).toBe(5);
    expect([first?.total, first?.has_more, third?.has_more]).toEqual([5, true, false]);
  });

  test('an environment without deployments is an empty list', async () => {
    const { id } = await tenant.newAgent();
    expect(await deployments.list(id, { environment: 'nowhere' })).toEqual({
      data: [],
      total: 0,
      has_more: false,
    });
  });

  test('filters by the status that a rollback gives', async () => {
    const { id } = await tenant.newAgent();
    const { id: first } = await deployments.deploy(id, '1');
    const { id: second } = await deployments.deploy(id, '2');
    await deployments.rollBack(id, second);
    const ids = async (status: string) =>
      (await deployments.list(id, { status })).data.map((one) => one.id);
    expect(await ids('rolled_back')).toEqual([second]);
    expect(await ids('active')).toEqual([first]);
    expect(await deployments.list(id, { status: 'superseded' })).toEqual({
      data: [],
      total: 0,
      has_more: false,
    });
  });

  test.each([
    ['status', 'asleep'],
    ['status', ''],
    ['status', 'active,superseded'],
    ['environment', 'Not An Environment'],
    ['sort', 'status'],
    ['color', 'red'],
  ])("400 naming %s for '%s'", async (parameter, value) => {
    const { id } = await tenant.newAgent();
    const { error } = await tenant.api.expect('listDeployments', 400, {
      path: { agent_id: id },
      query: { [parameter]: value },
    });
    expect(error.details?.map(({ field }) => field)).toEqual([parameter]);
  });
});
