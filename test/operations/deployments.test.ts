/** Create, list and roll back deployments, over real HTTP and PostgreSQL. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Deployment } from '../../generated/api.js';
import { newId } from '../../server/lib/typeid.js';
import { startTestService, type Tenant, type TestService } from '../helpers/service.js';

let service: TestService;
let tenant: Tenant;

beforeAll(async () => {
  service = await startTestService();
  tenant = await service.tenant();
});

afterAll(() => service.stop());

async function deploy(
  agent_id: string,
  version: string,
  environment = 'production',
): Promise<Deployment> {
  const { data } = await tenant.api.expect('createDeployment', 201, {
    path: { agent_id },
    body: { environment, version },
  });
  return data;
}

async function rollBack(agent_id: string, deployment_id: string): Promise<Deployment> {
  const { data } = await tenant.api.expect('rollbackDeployment', 200, {
    path: { agent_id, deployment_id },
  });
  return data;
}

async function deploymentsOf(
  agent_id: string,
  query: Record<string, string | number> = {},
): Promise<{ data: Deployment[]; total: number; has_more: boolean }> {
  const { data, pagination } = await tenant.api.expect('listDeployments', 200, {
    path: { agent_id },
    query,
  });
  return { data, total: pagination.total, has_more: pagination.has_more };
}

async function activeOf(agent_id: string): Promise<string | null> {
  const { data } = await tenant.api.expect('getAgent', 200, { path: { agent_id } });
  return data.active_deployment_id;
}

describe('Create Deployment', () => {
  test('freezes the draft, makes it active and names the key that made it', async () => {
    const { id } = await tenant.newAgent({
      model: 'builtin/echo',
      temperature: 0.3,
      instructions: 'Be brief.',
      timeoutMs: 5_000,
      historyLimit: 7,
      endpoint: { url: 'https://agent.example.com/' },
      policy: { security: { enforceHttps: false } },
    });
    const { id: keyId, key } = await tenant.newKey();
    const { data } = await service.api(key).expect('createDeployment', 201, {
      path: { agent_id: id },
      body: { environment: 'production', version: '1.0.0' },
    });
    expect(data).toEqual({
      id: expect.stringMatching(/^dep_/),
      agent_id: id,
      environment: 'production',
      version: '1.0.0',
      status: 'active',
      model: 'builtin/echo',
      temperature: 0.3,
      created_at: data.activated_at,
      activated_at: expect.any(String),
      created_by: keyId,
      replaced_deployment_id: null,
    });
    expect(await activeOf(id)).toBe(data.id);
    const stored = await service.database.prisma.deployment.findUniqueOrThrow({
      where: { id: data.id },
    });
    expect(stored).toMatchObject({
      instructions: 'Be brief.',
      timeoutMs: 5_000,
      historyLimit: 7,
      endpoint: { url: 'https://agent.example.com/' },
    });
  });

  test('is not touched by later changes of the draft', async () => {
    const { id } = await tenant.newAgent({ temperature: 0.3 });
    await deploy(id, '1');
    await tenant.api.expect('updateAgent', 200, {
      path: { agent_id: id },
      body: { temperature: 0.9 },
    });
    const { data } = await deploymentsOf(id);
    expect(data[0]?.temperature).toBe(0.3);
  });

  test('supersedes what was active in the same environment, and nothing in others', async () => {
    const { id } = await tenant.newAgent();
    const first = await deploy(id, '1');
    const staged = await deploy(id, '1', 'staging');
    const second = await deploy(id, '2');
    expect(second.replaced_deployment_id).toBe(first.id);
    expect(staged.replaced_deployment_id).toBeNull();
    const { data } = await deploymentsOf(id);
    expect(Object.fromEntries(data.map((one) => [one.id, one.status]))).toEqual({
      [first.id]: 'superseded',
      [staged.id]: 'active',
      [second.id]: 'active',
    });
    expect(await activeOf(id)).toBe(second.id);
  });

  test('writes an entry into the log, with the id of the request', async () => {
    const { id } = await tenant.newAgent();
    const { headers, body } = await tenant.api.call('createDeployment', {
      path: { agent_id: id },
      body: { environment: 'staging', version: '7' },
    });
    const request_id = headers.get('x-request-id') ?? '';
    const { data } = await tenant.api.expect('getLogs', 200, {
      path: { agent_id: id },
      query: { request_id },
    });
    expect(body).toMatchObject({ success: true });
    expect(data).toMatchObject([
      {
        level: 'info',
        message: "Version '7' was deployed to staging.",
        metadata: { request_id, environment: 'staging', version: '7' },
      },
    ]);
  });

  test('400 naming the model if its provider is not configured here', async () => {
    const { id } = await tenant.newAgent({ model: 'anthropic/claude-sonnet-4-5' });
    const { error } = await tenant.api.expect('createDeployment', 400, {
      path: { agent_id: id },
      body: { environment: 'production', version: '1' },
    });
    expect(error.details).toEqual([
      { field: 'model', error: expect.stringContaining("provider 'anthropic'") },
    ]);
  });

  test('400 naming every field that is wrong', async () => {
    const { id } = await tenant.newAgent();
    const { error } = await tenant.api.expect('createDeployment', 400, {
      path: { agent_id: id },
      body: { environment: 'Prod!', version: '', colour: 'red' },
    });
    expect(error.details?.map(({ field }) => field).sort()).toEqual([
      'colour',
      'environment',
      'version',
    ]);
  });

  test('409 for a label that is taken, also by one that was rolled back', async () => {
    const { id } = await tenant.newAgent();
    await deploy(id, '1');
    const { id: second } = await deploy(id, '2');
    await rollBack(id, second);
    for (const version of ['1', '2']) {
      const { error } = await tenant.api.expect('createDeployment', 409, {
        path: { agent_id: id },
        body: { environment: 'production', version },
      });
      expect(error.message).toBe(
        `Version '${version}' exists in environment 'production' already. Choose another label.`,
      );
    }
    await deploy(id, '1', 'staging');
  });

  test('a repeat with the same Idempotency-Key deploys once', async () => {
    const { id } = await tenant.newAgent();
    const call = {
      path: { agent_id: id },
      headers: { 'Idempotency-Key': 'deploy-1' },
      body: { environment: 'production', version: '1' },
    };
    const first = await tenant.api.call('createDeployment', call);
    const second = await tenant.api.call('createDeployment', call);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
    expect((await deploymentsOf(id)).total).toBe(1);
  });

  test('many at once: each replaces the one before it, and exactly one stays active', async () => {
    const other = await service.another();
    const { id } = await tenant.newAgent();
    const apis = [tenant.api, other.api(tenant.key)];
    await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        apis[n % 2]?.expect('createDeployment', 201, {
          path: { agent_id: id },
          body: { environment: 'production', version: `v${n}` },
        }),
      ),
    );
    const { data, total } = await deploymentsOf(id, { limit: 100 });
    expect(total).toBe(12);
    expect(data.filter(({ status }) => status === 'active')).toHaveLength(1);
    expect(data.filter(({ status }) => status === 'superseded')).toHaveLength(11);
    const replaced = data.map((one) => one.replaced_deployment_id);
    expect(new Set(replaced).size).toBe(12);
    expect(data[0]?.status).toBe('active');
  });

  test('of several with the same label one is made, the others get the 409', async () => {
    const { id } = await tenant.newAgent();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        tenant.api.call('createDeployment', {
          path: { agent_id: id },
          body: { environment: 'production', version: 'same' },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });

  test('a writer who ignores the lock makes it a 409, never a 500', async () => {
    const { id } = await tenant.newAgent();
    const client = await service.database.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query(
        `INSERT INTO deployments (id, agent_id, environment, version, status, model, temperature, instructions,
                                  timeout_ms, history_limit)
         VALUES ($1, $2, 'production', 'sneaked', 'active', 'builtin/echo', 1, '', 1000, 0)`,
        [newId('dep'), id],
      );
      const answer = tenant.api.expect('createDeployment', 409, {
        path: { agent_id: id },
        body: { environment: 'production', version: '1' },
      });
      await waitForBlocked();
      await client.query('COMMIT');
      const { error } = await answer;
      expect(error.message).toContain('in the same moment');
    } finally {
      client.release();
    }
  });

  /** Until a statement waits for a lock. */
  async function waitForBlocked(): Promise<void> {
    for (;;) {
      const { rowCount } = await service.database.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      if ((rowCount ?? 0) > 0) return;
    }
  }
});

describe('Roll back a deployment', () => {
  test('brings back the one that it replaced, step by step', async () => {
    const { id } = await tenant.newAgent();
    const first = await deploy(id, '1');
    const second = await deploy(id, '2');
    const third = await deploy(id, '3');

    const back = await rollBack(id, third.id);
    expect(back).toMatchObject({ id: second.id, version: '2', status: 'active' });
    expect(back.activated_at > second.activated_at).toBe(true);
    expect(back.created_at).toBe(second.created_at);
    expect(await activeOf(id)).toBe(second.id);

    const further = await rollBack(id, second.id);
    expect(further.id).toBe(first.id);
    expect(await activeOf(id)).toBe(first.id);
    const { data } = await deploymentsOf(id);
    expect(data.map(({ version, status }) => [version, status])).toEqual([
      ['3', 'rolled_back'],
      ['2', 'rolled_back'],
      ['1', 'active'],
    ]);

    const fourth = await deploy(id, '4');
    expect(fourth.replaced_deployment_id).toBe(first.id);
  });

  test('writes an entry into the log', async () => {
    const { id } = await tenant.newAgent();
    await deploy(id, '1');
    const second = await deploy(id, '2');
    await rollBack(id, second.id);
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
    const first = await deploy(id, '1');
    const refuse = async (deployment_id: string) => {
      const { error } = await tenant.api.expect('rollbackDeployment', 409, {
        path: { agent_id: id, deployment_id },
      });
      return error.message;
    };
    expect(await refuse(first.id)).toBe(
      'This deployment replaced no other, so there is nothing to roll back to.',
    );
    const second = await deploy(id, '2');
    expect(await refuse(first.id)).toBe(
      'Only an active deployment can be rolled back; this one is superseded.',
    );
    await rollBack(id, second.id);
    expect(await refuse(second.id)).toBe(
      'Only an active deployment can be rolled back; this one is rolled_back.',
    );
  });

  test("404 for a deployment that does not exist, or is another agent's", async () => {
    const { id } = await tenant.newAgent();
    const { id: other } = await tenant.newAgent();
    await deploy(other, '1');
    const { id: foreign } = await deploy(other, '2');
    for (const deployment_id of [foreign, newId('dep')]) {
      const { error } = await tenant.api.expect('rollbackDeployment', 404, {
        path: { agent_id: id, deployment_id },
      });
      expect(error.message).toBe(`There is no deployment '${deployment_id}'.`);
    }
  });

  test('of many at once, also on another instance, one wins and the others get the 409', async () => {
    const other = await service.another();
    const { id } = await tenant.newAgent();
    const first = await deploy(id, '1');
    const second = await deploy(id, '2');
    const apis = [tenant.api, other.api(tenant.key)];
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        apis[n % 2]?.call('rollbackDeployment', {
          path: { agent_id: id, deployment_id: second.id },
        }),
      ),
    );
    expect(answers.map((answer) => answer?.status).sort()).toEqual([200, ...Array(7).fill(409)]);
    expect(await activeOf(id)).toBe(first.id);
  });

  test('a repeat with the same Idempotency-Key rolls back once', async () => {
    const { id } = await tenant.newAgent();
    await deploy(id, '1');
    const second = await deploy(id, '2');
    const third = await deploy(id, '3');
    const call = {
      path: { agent_id: id, deployment_id: third.id },
      headers: { 'Idempotency-Key': 'undo-3' },
    };
    const answers = [
      await tenant.api.expect('rollbackDeployment', 200, call),
      await tenant.api.expect('rollbackDeployment', 200, call),
    ];
    expect(answers.map(({ data }) => data.id)).toEqual([second.id, second.id]);
    expect(await activeOf(id)).toBe(second.id);
  });

  test('deploying and rolling back at the same time always leaves exactly one active', async () => {
    const { id } = await tenant.newAgent();
    await deploy(id, 'base');
    const latest = await deploy(id, 'latest');
    await Promise.all([
      tenant.api.call('rollbackDeployment', { path: { agent_id: id, deployment_id: latest.id } }),
      ...Array.from({ length: 4 }, (_, n) => deploy(id, `next-${n}`)),
    ]);
    const { data } = await deploymentsOf(id, { status: 'active' });
    expect(data).toHaveLength(1);
    expect(await activeOf(id)).toBe(data[0]?.id);
  });
});

describe('List Deployments', () => {
  test('sorts, filters and counts exactly, and its pages never overlap', async () => {
    const { id } = await tenant.newAgent();
    for (const version of ['b', 'a', 'c']) await deploy(id, version);
    for (const version of ['a', 'z']) await deploy(id, version, 'staging');
    const versions = async (query: Record<string, string | number>) =>
      (await deploymentsOf(id, query)).data.map(({ version }) => version);

    expect(await versions({})).toEqual(['z', 'a', 'c', 'a', 'b']);
    expect(await versions({ sort: 'created_at' })).toEqual(['b', 'a', 'c', 'a', 'z']);
    expect(await versions({ sort: 'version' })).toEqual(['a', 'a', 'b', 'c', 'z']);
    expect(await versions({ sort: '-version' })).toEqual(['z', 'c', 'b', 'a', 'a']);
    expect(await versions({ environment: 'staging' })).toEqual(['z', 'a']);
    expect(await versions({ status: 'active' })).toEqual(['z', 'c']);
    expect(await versions({ environment: 'production', status: 'superseded' })).toEqual(['a', 'b']);

    const pages = [0, 2, 4].map((offset) =>
      deploymentsOf(id, { sort: 'version', limit: 2, offset }),
    );
    const [first, second, third] = await Promise.all(pages);
    const ids = [first, second, third].flatMap((page) => page?.data.map((one) => one.id) ?? []);
    expect(new Set(ids).size).toBe(5);
    expect([first?.total, first?.has_more, third?.has_more]).toEqual([5, true, false]);
  });

  test('an environment with nothing in it is an empty list', async () => {
    const { id } = await tenant.newAgent();
    expect(await deploymentsOf(id, { environment: 'nowhere' })).toEqual({
      data: [],
      total: 0,
      has_more: false,
    });
  });
});
