/** What an account may store and deploy in a day, and how many keys it may hold. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { inProject } from '../../scripts/lib/project.js';
import { changeAccount } from '../../server/accounts/accounts.js';
import { StoredBytes } from '../../server/accounts/stored-bytes.js';
import { capNames, type Caps, tiers } from '../../server/accounts/tiers.js';
import { eventually } from '../helpers/eventually.js';
import type { Answered, Call } from '../helpers/service/api.js';
import { type Tenant, useInstance, useService } from '../helpers/service/service.js';
import { streamed } from '../invocations/event-reader.js';

const service = useService({ WORKER: 'off', ALLOW_PRIVATE_TARGETS: 'true' });
const second = useInstance(service);

const dayMs = 86_400_000;
const hook = { url: 'https://93.184.216.34/hook', events: ['agent.failed'] };
const length = 20_000;
const message = (agent_id: string, call: Call = {}): Call => ({
  path: { agent_id },
  body: { message: 'x'.repeat(length) },
  ...call,
});

async function cap({ accountId }: Tenant, caps: Caps): Promise<void> {
  await service.database.transaction((transaction) =>
    changeAccount(transaction, accountId, { caps }),
  );
}

async function tenantWith(caps: Caps) {
  const tenant = await service.tenant();
  await cap(tenant, caps);
  return { tenant, agent: await tenant.newAgent() };
}

/** What the account has stored today, according to the table that all instances share. */
async function storedBy({ accountId }: Tenant): Promise<number> {
  const where = { accountId, ownerId: accountId, windowMs: dayMs };
  const day = await service.database.prisma.budgetWindow.findFirst({ where });
  return Number(day?.bytes ?? 0);
}

/** Invokes until the account has stored its bytes. Returns the refusal, and the number of answers before it. */
async function exhaust({ api }: Tenant, agentId: string) {
  for (let answered = 0; ; answered += 1) {
    const reply = await api.call('invokeAgent', message(agentId));
    if (reply.status !== 200) return { refused: reply, answered };
  }
}

function expectDailyLimit({ status, headers, body }: Answered<unknown>, named: string): void {
  expect(status).toBe(429);
  const { error } = body as { error: { code: string; message: string; retry_after: number } };
  expect(error.code).toBe('rate_limited');
  expect(error.message).toContain(named);
  expect(error.retry_after).toBeLessThanOrEqual(dayMs / 1000);
  expect(headers.get('retry-after')).toBe(String(error.retry_after));
}

describe('the bytes that an account stores in a day', () => {
  test('end at bytesPerDay, on every instance, until the next day or another cap', async () => {
    const { tenant, agent } = await tenantWith({ bytesPerDay: 9 * length });
    const { refused, answered } = await exhaust(tenant, agent.id);
    // Each answer stores the message twice.
    expect(answered).toBe(5);
    expectDailyLimit(refused, `stored ${9 * length} bytes today, its limit (bytesPerDay)`);
    const there = second.api(tenant.key);
    // Stores next to nothing itself.
    const update = { path: { agent_id: agent.id }, body: { temperature: 0.5 } };
    await eventually(async () => {
      expectDailyLimit(await there.call('updateAgent', update), 'bytesPerDay');
    });
    await cap(tenant, { bytesPerDay: null });
    for (const api of [tenant.api, there]) {
      await eventually(() => api.expect('invokeAgent', 200, message(agent.id)));
    }
  });

  test('are exceeded neither by an operation nor by another key, but what stores nothing goes on', async () => {
    const { tenant, agent } = await tenantWith({ bytesPerDay: 6 * length });
    const path = { agent_id: agent.id };
    const { key, id: key_id } = await tenant.newKey();
    const headers = { 'idempotency-key': randomUUID() };
    const first = await tenant.api.call('invokeAgent', message(agent.id, { headers }));
    const deployed = { environment: 'production', version: '1' };
    const { data } = await tenant.api.expect('createDeployment', 201, { path, body: deployed });
    await tenant.api.expect('createDeployment', 201, { path, body: { ...deployed, version: '2' } });
    await exhaust(tenant, agent.id);

    const api = service.api(key);
    const storing = {
      invokeAgent: message(agent.id, { headers: { prefer: 'respond-async' } }),
      updateAgent: { path, body: { instructions: 'More.' } },
      createDeployment: { path, body: { ...deployed, version: '3' } },
      createWebhook: { body: hook },
      createApiKey: { body: { name: 'another', permissions: ['read'] } },
    } satisfies Record<string, Call>;
    for (const [operationId, call] of Object.entries(storing)) {
      const reply = await api.call(operationId as keyof typeof storing, call);
      expectDailyLimit(reply, 'bytesPerDay');
    }
    const repeated = await tenant.api.call('invokeAgent', message(agent.id, { headers }));
    expect(repeated.body).toEqual(first.body);
    const { data: deployments } = await api.expect('listDeployments', 200, { path });
    const deployment_id = deployments.find(({ id }) => id !== data.id)?.id ?? '';
    await api.expect('rollbackDeployment', 200, { path: { ...path, deployment_id } });
    await api.expect('searchMemory', 200, { path, body: { query: 'x' } });
    await api.expect('clearMemory', 200, { path });
    await tenant.api.expect('revokeApiKey', 200, { path: { key_id } });
    await tenant.api.expect('deleteAgent', 200, { path });
  });

  test('count whatever the form of the invocation, and what the others store', async () => {
    const { tenant, agent } = await tenantWith({});
    const path = { agent_id: agent.id };
    const key = () => ({ 'idempotency-key': randomUUID() });
    const instructions = 'x'.repeat(length);
    const webhook = { ...hook, events: ['agent.completed'] };
    /** Each work, and how often it stores the text. */
    const works: [string, () => Promise<unknown>, number][] = [
      ['plain', () => tenant.api.expect('invokeAgent', 200, message(agent.id)), 2],
      [
        'with a key, which keeps the response',
        () => tenant.api.expect('invokeAgent', 200, message(agent.id, { headers: key() })),
        3,
      ],
      ['streamed', () => streamed(service.url, tenant.key, message(agent.id)), 2],
      [
        'streamed with a key, which keeps the events and the response',
        () => streamed(service.url, tenant.key, message(agent.id, { headers: key() })),
        4,
      ],
      [
        'asynchronous, which waits in the queue first',
        () =>
          tenant.api.expect(
            'invokeAgent',
            202,
            message(agent.id, { headers: { prefer: 'respond-async' } }),
          ),
        3,
      ],
      [
        'an update of the agent',
        () => tenant.api.expect('updateAgent', 200, { path, body: { instructions } }),
        2,
      ],
      [
        'a deployment of it',
        () =>
          tenant.api.expect('createDeployment', 201, {
            path,
            body: { environment: 'staging', version: '1' },
          }),
        1,
      ],
      [
        'with a webhook',
        async () => {
          await tenant.api.expect('createWebhook', 201, { body: webhook });
          await tenant.api.expect('invokeAgent', 200, message(agent.id));
        },
        3,
      ],
    ];
    let before = 0;
    for (const [name, work, times] of works) {
      await work();
      const stored = await eventually(async () => {
        const bytes = (await storedBy(tenant)) - before;
        expect([name, bytes >= times * length]).toEqual([name, true]);
        return bytes;
      });
      expect([name, stored < (times + 0.5) * length]).toEqual([name, true]);
      before += stored;
    }
  });

  test('are counted while the database fails, and written afterwards', async () => {
    const { accountId } = await service.tenant();
    const errors: unknown[] = [];
    let isDown = true;
    const database: ConstructorParameters<typeof StoredBytes>[0] = {
      run: (statement, values) =>
        isDown ? Promise.reject(new Error('down')) : service.database.run(statement, values),
    };
    const counting = { everyMs: 1, onError: (error: unknown) => void errors.push(error) };
    const storedBytes = new StoredBytes(database, counting);
    storedBytes.add(accountId, 600);
    await eventually(() => {
      expect(errors).toHaveLength(1);
    });
    storedBytes.add(accountId, 400);
    expect(storedBytes.secondsUntilFree(accountId, 1_001)).toBe(0);
    expect(storedBytes.secondsUntilFree(accountId, 1_000)).toBeGreaterThan(0);
    isDown = false;
    const where = { accountId };
    await eventually(async () => {
      const days = await service.database.prisma.budgetWindow.findMany({ where });
      expect(days).toMatchObject([{ bytes: 1_000n }]);
    });
    await storedBytes.close();
    expect(errors).toHaveLength(1);
    expect(storedBytes.secondsUntilFree(accountId, 1_000)).toBeGreaterThan(1);
  });
});

test.each(capNames)('the page on limits has %s in every tier', async (name) => {
  const page = await readFile(inProject('docs/security/limits.md'), 'utf8');
  const row = page.split('\n').find((line) => line.includes(`| \`${name}\``)) ?? '';
  const [, , , ...shown] = row.split('|').map((cell) => cell.trim().replace(' 000', '000'));
  const limits = Object.values(tiers).map((limit) => limit[name]);
  const inWords = limits.map((limit) => (limit < 1e9 ? String(limit) : `${limit / 1e9} GB`));
  expect(shown.slice(0, 3)).toEqual(inWords);
});

describe('the deployments of a day', () => {
  test('end at deploymentsPerDay, however many are created at once; those that fail do not count', async () => {
    const { tenant } = await tenantWith({ deploymentsPerDay: 3 });
    const agents = await Promise.all(Array.from({ length: 6 }, () => tenant.newAgent()));
    const deploy = ({ id }: { id: string }, model = '1') =>
      tenant.api.call('createDeployment', {
        path: { agent_id: id },
        body: { environment: 'production', version: model },
      });
    const [first = { id: '' }] = agents;
    expect((await deploy(first)).status).toBe(201);
    // The version is taken.
    expect((await deploy(first)).status).toBe(409);
    const replies = await Promise.all(agents.slice(1).map((agent) => deploy(agent)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429, 429]);
    expectDailyLimit(
      await deploy(first, '2'),
      'created 3 deployments today, its limit (deploymentsPerDay)',
    );
    await cap(tenant, { deploymentsPerDay: null });
    await eventually(async () => {
      expect((await deploy(first, '2')).status).toBe(201);
    });
  });
});

describe('the keys of an account', () => {
  test('end at its cap, however many are created at once; revoked and expired ones do not count', async () => {
    const { tenant } = await tenantWith({ keys: 4 });
    await tenant.newKey({ expiresAt: new Date(Date.now() - 1_000) });
    const { id } = await tenant.newKey();
    const create = () =>
      tenant.api.call('createApiKey', { body: { name: 'mine', permissions: ['read'] } });
    const replies = await Promise.all([create(), create(), create(), create()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
    const { error } = await tenant.api.expect('createApiKey', 409, {
      body: { name: 'mine', permissions: ['read'] },
    });
    expect(error.message).toBe('The account has 4 keys, and may have 4. Revoke one first.');
    await tenant.api.expect('revokeApiKey', 200, { path: { key_id: id } });
    expect((await create()).status).toBe(201);
    expect((await create()).status).toBe(409);
    await cap(tenant, { keys: null });
    await eventually(async () => {
      expect((await create()).status).toBe(201);
    });
  });
});
