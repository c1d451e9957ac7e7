/** Get, update and delete agents, over real HTTP and PostgreSQL. */
import { describe, expect, test } from '@jest/globals';
import { newId } from '../../server/lib/data/typeid.js';
import { withoutNotifications } from './announcements.js';
import { eventually } from '../helpers/eventually.js';
import { backdateDeletions } from '../helpers/database/purging.js';
import { insertDeployment, insertWebhook } from '../helpers/database/rows.js';
import { useService, useTenant } from '../helpers/service/service.js';

const service = useService();
const tenant = useTenant(service);

describe('Get Agent', () => {
  test('finds an agent by its id and by its name', async () => {
    const { id, name } = await tenant.newAgent({ model: 'builtin/echo', temperature: 0.4 });
    for (const agent_id of [id, name]) {
      const { data } = await tenant.api.expect('getAgent', 200, { path: { agent_id } });
      expect(data).toMatchObject({
        id,
        name,
        status: 'running',
        model: 'builtin/echo',
        temperature: 0.4,
        active_deployment_id: null,
      });
    }
  });

  test('returns the whole configuration under the names of the manifest, and no secret', async () => {
    const parameters = { type: 'object' as const, properties: { secret: { type: 'string' } } };
    const { id } = await tenant.newAgent({
      instructions: 'Be brief.\nBe kind.',
      timeoutMs: 1_500,
      historyLimit: 7,
      endpoint: { url: 'https://agent.example.com/', headers: { Authorization: 'hunter2' } },
      options: {
        fallbacks: ['builtin/echo'],
        tools: {
          http: [
            {
              name: 'refund',
              description: 'Refunds an order.',
              method: 'POST',
              url: 'https://api.example.com/refund',
              parameters,
              headers: { Authorization: '${env:REFUND_TOKEN}' },
              timeout: '10s',
            },
          ],
          maxSteps: 8,
        },
      },
      budget: { tokens: 1_000, window: '1d' },
      policy: { security: { enforceHttps: false }, roles: { viewer: ['read'] } },
    });
    const { data } = await tenant.api.expect('getAgent', 200, { path: { agent_id: id } });
    expect(data).toMatchObject({
      instructions: 'Be brief.\nBe kind.',
      settings: {
        timeout: '1500ms',
        history: 7,
        endpoint: { url: 'https://agent.example.com/', headers: { Authorization: '******' } },
        fallbacks: ['builtin/echo'],
        tools: {
          http: [{ name: 'refund', parameters, headers: { Authorization: '${env:REFUND_TOKEN}' } }],
        },
      },
      policy: {
        budget: { tokens: 1_000, window: '1d' },
        security: { enforceHttps: false },
        roles: { viewer: ['read'] },
      },
    });
  });

  test('names the active production deployment, and no other', async () => {
    const { id } = await tenant.newAgent();
    await insertDeployment(service.database, id, { environment: 'staging' });
    const before = await tenant.api.expect('getAgent', 200, { path: { agent_id: id } });
    expect(before.data.active_deployment_id).toBeNull();
    const active = await insertDeployment(service.database, id);
    const after = await tenant.api.expect('getAgent', 200, { path: { agent_id: id } });
    expect(after.data.active_deployment_id).toBe(active);
  });

  test('404 for an agent that does not exist', async () => {
    const { error } = await tenant.api.expect('getAgent', 404, { path: { agent_id: 'missing' } });
    expect(error).toEqual({ code: 'not_found', message: "There is no agent 'missing'." });
    await tenant.api.expect('getAgent', 404, { path: { agent_id: newId('agent') } });
  });

  test('validates a request before it reports a missing agent', async () => {
    const path = { agent_id: 'missing' };
    const range = { start_time: '2026-01-02T00:00:00Z', end_time: '2026-01-01T00:00:00Z' };
    await tenant.api.expect('getLogs', 400, { path, query: range });
    await tenant.api.expect('getMetrics', 400, {
      path,
      query: { metric: 'token_usage', ...range },
    });
    await tenant.api.expect('getLogs', 404, { path });
    await tenant.api.expect('getMetrics', 404, { path, query: { metric: 'token_usage' } });
    await tenant.api.expect('searchMemory', 404, { path, body: { query: 'x' } });
  });

  test("404 for another account's agent, by id and by name", async () => {
    const other = await service.tenant();
    const { id } = await other.newAgent({ name: 'secret-agent' });
    for (const agent_id of [id, 'secret-agent']) {
      await tenant.api.expect('getAgent', 404, { path: { agent_id } });
    }
  });

  test('the same name refers to different agents in different accounts', async () => {
    const other = await service.tenant();
    const theirs = await other.newAgent({ name: 'twin' });
    const ours = await tenant.newAgent({ name: 'twin' });
    const { data } = await tenant.api.expect('getAgent', 200, { path: { agent_id: 'twin' } });
    expect(data.id).toBe(ours.id);
    expect(data.id).not.toBe(theirs.id);
  });

  test('400 for a value that is neither an id nor a name', async () => {
    const { error } = await tenant.api.expect('getAgent', 400, {
      path: { agent_id: 'Not A Name' },
    });
    expect(error.details?.map(({ field }) => field)).toEqual(['agent_id']);
  });
});

describe('a temperature that is not set', () => {
  test('is shown as 1, and an update sets it', async () => {
    const { id } = await tenant.newAgent();
    const path = { agent_id: id };
    const { data } = await tenant.api.expect('getAgent', 200, { path });
    expect(data.temperature).toBe(1);
    const stored = () => service.database.prisma.agent.findUniqueOrThrow({ where: { id } });
    expect((await stored()).temperature).toBeNull();
    await tenant.api.expect('updateAgent', 200, { path, body: { instructions: 'Be brief.' } });
    expect((await stored()).temperature).toBeNull();
    const updated = await tenant.api.expect('updateAgent', 200, { path, body: { temperature: 1 } });
    expect(updated.data.temperature).toBe(1);
    expect((await stored()).temperature).toBe(1);
  });
});

describe('Update Agent', () => {
  test('changes the sent fields, keeps the rest, and returns the agent like Get Agent', async () => {
    const { id, name } = await tenant.newAgent({ temperature: 0.4 });
    const before = await tenant.api.expect('getAgent', 200, { path: { agent_id: id } });
    const { data } = await tenant.api.expect('updateAgent', 200, {
      path: { agent_id: name },
      body: { temperature: 1.25 },
    });
    const after = await tenant.api.expect('getAgent', 200, { path: { agent_id: id } });
    expect(data).toEqual(after.data);
    expect(data).toEqual({
      ...before.data,
      temperature: 1.25,
      updated_at: data.updated_at,
    });
    expect(Date.parse(data.updated_at)).toBeGreaterThan(Date.parse(before.data.updated_at));
  });

  test('changes only the draft, and no deployment', async () => {
    const { id } = await tenant.newAgent({ temperature: 0.4 });
    const deploymentId = await insertDeployment(service.database, id, { temperature: 0.4 });
    const { data } = await tenant.api.expect('updateAgent', 200, {
      path: { agent_id: id },
      body: { temperature: 2 },
    });
    expect(data.active_deployment_id).toBe(deploymentId);
    const deployed = await service.database.prisma.deployment.findUniqueOrThrow({
      where: { id: deploymentId },
    });
    expect(deployed.temperature).toBe(0.4);
  });

  test('changes the instructions, which the model receives and the log does not contain', async () => {
    const { id } = await tenant.newAgent({ instructions: 'Be brief.' });
    const instructions = 'Answer at length.\n  • With examples. 👋\n';
    const { data } = await tenant.api.expect('updateAgent', 200, {
      path: { agent_id: id },
      body: { instructions },
    });
    expect(data.instructions).toBe(instructions);
    const stored = await service.database.prisma.agent.findUniqueOrThrow({ where: { id } });
    expect(stored.instructions).toBe(instructions);
    const logs = await tenant.api.expect('getLogs', 200, { path: { agent_id: id } });
    expect(logs.data.map(({ message }) => message)).toEqual([
      'Configuration changed: instructions.',
    ]);
    expect(JSON.stringify(logs)).not.toContain('at length');
  });

  test('accepts instructions up to the limit of manifests, and removes them', async () => {
    const { id } = await tenant.newAgent();
    for (const instructions of ['x'.repeat(100_000), '']) {
      const { data } = await tenant.api.expect('updateAgent', 200, {
        path: { agent_id: id },
        body: { instructions },
      });
      expect(data.instructions).toBe(instructions);
    }
  });

  test('403 for a read-only key, which can see the instructions', async () => {
    const { id } = await tenant.newAgent({ instructions: 'Be brief.' });
    const { key } = await tenant.newKey({ permissions: ['read'] });
    const path = { agent_id: id };
    const body = { instructions: 'Obey me.' };
    await service.api(key).expect('updateAgent', 403, { path, body });
    const { data } = await service.api(key).expect('getAgent', 200, { path });
    expect(data.instructions).toBe('Be brief.');
  });

  test.each([
    ['an unknown provider', { model: 'opnai/gpt-5' }, "provider 'opnai' is unknown"],
    ['a provider that is not configured', { model: 'openai/gpt-5' }, 'is not configured'],
    ['an unknown builtin model', { model: 'builtin/parrot' }, 'builtin/echo'],
    ['http without an endpoint', { model: 'http/my-agent' }, 'needs an endpoint'],
  ])('400 for %s, naming the field', async (_name, body, reason) => {
    const { id } = await tenant.newAgent();
    const { error } = await tenant.api.expect('updateAgent', 400, { path: { agent_id: id }, body });
    expect(error.code).toBe('invalid_request');
    expect(error.details).toEqual([{ field: 'model', error: expect.stringContaining(reason) }]);
    const { data } = await tenant.api.expect('getAgent', 200, { path: { agent_id: id } });
    expect(data.model).toBe('builtin/echo');
  });

  test('accepts an http model if the operator has set an endpoint', async () => {
    const { id } = await tenant.newAgent({ endpoint: { url: 'https://agent.example.com' } });
    const { data } = await tenant.api.expect('updateAgent', 200, {
      path: { agent_id: id },
      body: { model: 'http/my-agent' },
    });
    expect(data.model).toBe('http/my-agent');
  });

  test.each([
    ['an empty body', {}, 'body'],
    ['no body at all', undefined, 'body'],
    ['an unknown field', { name: 'other' }, 'name'],
    ['a read-only field', { temperature: 1, status: 'stopped' }, 'status'],
    ['an invalid model', { model: 'gpt' }, 'model'],
    ['too high a temperature', { temperature: 2.1 }, 'temperature'],
    ['a negative temperature', { temperature: -0.1 }, 'temperature'],
    ['a temperature as text', { temperature: 'hot' }, 'temperature'],
    ['null', { temperature: null }, 'temperature'],
    ['instructions that are too long', { instructions: 'x'.repeat(100_001) }, 'instructions'],
    ['instructions of the wrong type', { instructions: ['Be brief.'] }, 'instructions'],
    ['instructions that cannot be stored', { instructions: 'a\u0000b' }, 'instructions'],
    ['a setting of the manifest only', { settings: { history: 1 } }, 'settings'],
  ])('400 for %s, and nothing is changed', async (_name, body, field) => {
    const { id } = await tenant.newAgent();
    const before = await tenant.api.expect('getAgent', 200, { path: { agent_id: id } });
    const { error } = await tenant.api.expect('updateAgent', 400, {
      path: { agent_id: id },
      ...(body === undefined ? {} : { body }),
    });
    expect(error.details?.map((problem) => problem.field)).toEqual([field]);
    const after = await tenant.api.expect('getAgent', 200, { path: { agent_id: id } });
    expect(after).toEqual(before);
  });

  test('404 for an agent that does not exist', async () => {
    await tenant.api.expect('updateAgent', 404, {
      path: { agent_id: 'missing' },
      body: { temperature: 1 },
    });
  });
});

describe('Delete Agent', () => {
  test('deletes everything that belongs to it, and nothing else', async () => {
    const { prisma } = service.database;
    const owner = await service.tenant();
    const { id } = await owner.newAgent({ name: 'doomed' });
    const { id: otherId } = await owner.newAgent({ name: 'survivor' });
    for (const agentId of [id, otherId]) {
      await insertDeployment(service.database, agentId);
      await insertWebhook(service.database, owner.accountId, agentId);
      await owner.newKey({ agentId });
      await prisma.logEntry.create({
        data: {
          accountId: owner.accountId,
          agentId,
          id: newId('log'),
          loggedAt: new Date(),
          level: 'info',
          message: 'hello',
        },
      });
      await prisma.memoryEntry.create({
        data: {
          accountId: owner.accountId,
          agentId,
          id: newId('mem'),
          requestId: newId('req'),
          role: 'user',
          content: 'hello',
        },
      });
    }

    const { data } = await owner.api.expect('deleteAgent', 200, { path: { agent_id: 'doomed' } });
    expect(data).toEqual({ id, deleted: true });

    const left = async (agentId: string) => [
      await prisma.deployment.count({ where: { agentId } }),
      await prisma.webhook.count({ where: { agentId } }),
      await prisma.apiKey.count({ where: { agentId } }),
      await prisma.logEntry.count({ where: { agentId } }),
      await prisma.memoryEntry.count({ where: { agentId } }),
    ];
    await backdateDeletions(service.database);
    await eventually(async () => {
      expect(await left(id)).toEqual([0, 0, 0, 0, 0]);
    });
    expect(await left(otherId)).toEqual([1, 1, 1, 1, 1]);
    await owner.api.expect('getAgent', 404, { path: { agent_id: id } });
  });

  test('frees the name at once, and a repeat is a 404', async () => {
    const { id } = await tenant.newAgent({ name: 'phoenix' });
    await tenant.api.expect('deleteAgent', 200, { path: { agent_id: id } });
    await tenant.api.expect('deleteAgent', 404, { path: { agent_id: id } });
    const reborn = await tenant.newAgent({ name: 'phoenix' });
    const { data } = await tenant.api.expect('getAgent', 200, { path: { agent_id: 'phoenix' } });
    expect(data.id).toBe(reborn.id);
  });

  test('revokes the keys limited to it, even before that is announced', async () => {
    const { id } = await tenant.newAgent();
    const { key } = await tenant.newKey({ agentId: id });
    await service.api(key).expect('getAgent', 200, { path: { agent_id: id } });
    await withoutNotifications(async () => {
      await service.api(key).expect('deleteAgent', 200, { path: { agent_id: id } });
      await service.api(key).expect('getAgent', 401, { path: { agent_id: id } });
    });
  });
});
