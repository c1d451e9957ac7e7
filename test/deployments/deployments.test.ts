/** Create deployments, over real HTTP and PostgreSQL. */
import { describe, expect, test } from '@jest/globals';
import type { AgentOptions } from '../../server/contract/agent-options.js';
import { findActiveAgent } from '../../server/agents/configurations.js';
import { newId } from '../../server/lib/data/typeid.js';
import { deploymentCalls } from '../helpers/service/deployments.js';
import { waitForLockWaiter } from '../helpers/database/lock-wait.js';
import { useService, useTenant } from '../helpers/service/service.js';

const service = useService({ LOCAL_BASE_URL: 'http://127.0.0.1:9/v1' });
const tenant = useTenant(service);
const deployments = deploymentCalls(tenant);

describe('Create Deployment', () => {
  test('freezes the draft, activates it and records the key that created it', async () => {
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
      instructions: 'Be brief.',
      settings: {
        timeout: '5s',
        history: 7,
        endpoint: { url: 'https://agent.example.com/' },
      },
      created_at: data.activated_at,
      activated_at: expect.any(String),
      created_by: keyId,
      replaced_deployment_id: null,
    });
    expect(await deployments.active(id)).toBe(data.id);
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

  test('is not affected by later changes of the draft', async () => {
    const { id } = await tenant.newAgent({ temperature: 0.3, instructions: 'Be brief.' });
    await deployments.deploy(id, '1');
    await tenant.api.expect('updateAgent', 200, {
      path: { agent_id: id },
      body: { temperature: 0.9, instructions: 'Answer at length.' },
    });
    const { data } = await deployments.list(id);
    expect(data[0]).toMatchObject({ temperature: 0.3, instructions: 'Be brief.' });
  });

  test('freezes how the model is called, which a rollback restores', async () => {
    const parameters = { type: 'object' as const };
    const price = {
      name: 'price',
      description: 'The price.',
      method: 'GET' as const,
      url: 'https://shop.acme.example/prices',
      parameters,
      timeout: '10s',
      repeat: true,
      approval: 'caller' as const,
    };
    const orders = {
      name: 'orders',
      url: 'https://mcp.acme.example/mcp',
      allow: ['lookup', 'headers'],
      timeout: '10s',
      // A tool may have the name of a setting that is masked elsewhere.
      approval: { headers: 'manage' as const },
    };
    const options: AgentOptions = {
      maxOutputTokens: 1_000,
      reasoning: 'low',
      historyTokens: 4_000,
      summarize: true,
      recall: true,
      approvalTimeout: '2h',
      tools: { maxSteps: 8, maxResult: 2_000, http: [price], mcp: [orders] },
    };
    const { id } = await tenant.newAgent({ model: 'local/llama3.2', options });
    const first = await deployments.deploy(id, '1');
    expect(first).toMatchObject({
      temperature: 1,
      settings: { timeout: '60s', history: 20, ...options },
    });
    const { prisma } = service.database;
    const stored = await prisma.deployment.findUniqueOrThrow({ where: { id: first.id } });
    expect(stored.temperature).toBeNull();
    expect(stored.options).toEqual(options);

    await prisma.agent.update({ where: { id }, data: { temperature: 0.2, options: {} } });
    const second = await deployments.deploy(id, '2');
    expect(second).toMatchObject({ temperature: 0.2, settings: { timeout: '60s', history: 20 } });
    const back = await deployments.rollBack(id, second.id);
    expect(back.settings).toEqual(first.settings);
    const active = await findActiveAgent(service.database, {
      accountId: tenant.accountId,
      reference: id,
      environment: null,
    });
    expect(active).toMatchObject({ temperature: null, options });
  });

  test('supersedes the active one of the same environment only', async () => {
    const { id } = await tenant.newAgent();
    const first = await deployments.deploy(id, '1');
    const staged = await deployments.deploy(id, '1', 'staging');
    const second = await deployments.deploy(id, '2');
    expect(second.replaced_deployment_id).toBe(first.id);
    expect(staged.replaced_deployment_id).toBeNull();
    const { data } = await deployments.list(id);
    expect(Object.fromEntries(data.map((one) => [one.id, one.status]))).toEqual({
      [first.id]: 'superseded',
      [staged.id]: 'active',
      [second.id]: 'active',
    });
    expect(await deployments.active(id)).toBe(second.id);
  });

  test('writes a log entry with the request id', async () => {
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

  test('400 naming every invalid field', async () => {
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

  test('409 for a label that is in use, also by a rolled-back deployment', async () => {
    const { id } = await tenant.newAgent();
    await deployments.deploy(id, '1');
    const { id: second } = await deployments.deploy(id, '2');
    await deployments.rollBack(id, second);
    for (const version of ['1', '2']) {
      const { error } = await tenant.api.expect('createDeployment', 409, {
        path: { agent_id: id },
        body: { environment: 'production', version },
      });
      expect(error.message).toBe(
        `Version '${version}' exists in environment 'production' already. Choose another label.`,
      );
    }
    await deployments.deploy(id, '1', 'staging');
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
    expect((await deployments.list(id)).total).toBe(1);
  });

  test('concurrent ones replace each other in turn, and exactly one stays active', async () => {
    const other = await service.another();
    const { id } = await tenant.newAgent();
    await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        (n % 2 ? tenant.api : other.api(tenant.key)).expect('createDeployment', 201, {
          path: { agent_id: id },
          body: { environment: 'production', version: `v${n}` },
        }),
      ),
    );
    const { data, total } = await deployments.list(id, { limit: 100 });
    expect(total).toBe(12);
    expect(data.filter(({ status }) => status === 'active')).toHaveLength(1);
    expect(data.filter(({ status }) => status === 'superseded')).toHaveLength(11);
    const replaced = data.map((one) => one.replaced_deployment_id);
    expect(new Set(replaced).size).toBe(12);
    expect(data[0]?.status).toBe('active');
  });

  test('of several concurrent ones with the same label one is created, the others get the 409', async () => {
    const { id } = await tenant.newAgent();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        tenant.api.call('createDeployment', {
          path: { agent_id: id },
          body: { environment: 'production', version: 'same' },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      201, 409, 409, 409, 409, 409, 409, 409,
    ]);
  });

  test('a conflict with a writer that ignores the lock is a 409, never a 500', async () => {
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
      await waitForLockWaiter(service.database.pool);
      await client.query('COMMIT');
      const { error } = await answer;
      expect(error.message).toContain('at the same time');
    } finally {
      client.release();
    }
  });
});
