/** One account does not use up shared resources, however many requests it sends at a time. */
import { expect, test } from '@jest/globals';
import { send } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/service/fixture.js';
import { startHttpServer } from '../helpers/servers/http-server.js';
import { mostAtOnce } from '../helpers/database/statements.js';
import { waitForLockWaiter } from '../helpers/database/lock-wait.js';
import { useAgent, useService, useTenant } from '../helpers/service/service.js';

const service = useService({ DATABASE_POOL_SIZE: '5' });
const busy = useTenant(service);
const agent = useAgent(busy);
const neighbour = useTenant(service);

/** Runs the work while more updates of the agent than there are connections wait for a lock in the database. */
async function whileUpdatesWait(work: () => Promise<void>): Promise<void> {
  const lock = await service.database.pool.connect();
  await lock.query('BEGIN');
  await lock.query('SELECT FROM agents WHERE id = $1 FOR UPDATE', [agent.id]);
  const updates = Array.from({ length: 10 }, (_, n) =>
    busy.api.call('updateAgent', {
      path: { agent_id: agent.id },
      body: { temperature: n / 10 },
    }),
  );
  try {
    await waitForLockWaiter(service.database.pool);
    await work();
  } finally {
    await lock.query('ROLLBACK');
    lock.release();
  }
  const statuses = (await Promise.all(updates)).map(({ status }) => status);
  expect(statuses).toEqual(updates.map(() => 200));
}

test('requests that wait in the database leave connections for other accounts', async () => {
  await whileUpdatesWait(async () => {
    await neighbour.api.expect('listAgents', 200);
    await neighbour.api.expect('listWebhooks', 200);
  });
});

test('a request whose client disconnected while it waited is not executed', async () => {
  await whileUpdatesWait(async () => {
    const impatient = new AbortController();
    const creation = send(service.url, 'createWebhook', {
      headers: { authorization: `Bearer ${busy.key}`, 'x-request-id': 'impatient' },
      body: { url: 'https://hooks.example.com', events: ['agent.completed'] },
      signal: impatient.signal,
    });
    // It comes after the updates, so it has arrived when the other tenant's later request is answered.
    await neighbour.api.expect('listAgents', 200);
    impatient.abort();
    await expect(creation).rejects.toThrow('abort');
    await eventually(() => {
      expect(service.log.some((line) => line.includes('"path":"/v1/webhooks"'))).toBe(true);
    });
  });
  expect(await service.database.prisma.webhook.count()).toBe(0);
});

test('requests about unknown agents, which precede the rate limit, leave connections for others', async () => {
  const { api } = await service.tenant({ tier: 'free' });
  const atOnce = await mostAtOnce('"policy"', async () => {
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, n) =>
        api.call('getAgent', { path: { agent_id: `unknown-${n}` } }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404, 429]));
  });
  expect(atOnce).toBeLessThanOrEqual(2);
});

let asked = 0;
const silent = useFixture(
  () =>
    startHttpServer(() => {
      asked += 1;
    }),
  ({ stop }) => stop(),
);

test('invocations that would exceed the memory limit are rejected, and leave nothing behind', async () => {
  const limited = await service.another({
    MAX_ANSWER_BYTES_IN_FLIGHT: String(64 * 1024 * 1024),
    ALLOW_PRIVATE_TARGETS: 'true',
  });
  const { id } = await busy.newAgent({ model: 'http/silent', endpoint: { url: silent.url } });
  const over = new AbortController();
  const refused: string[] = [];
  const calls = Array.from({ length: 12 }, async () => {
    const { status, headers } = await limited.api(busy.key).call('invokeAgent', {
      path: { agent_id: id },
      body: { message: 'Hi', context: { text: 'x'.repeat(1_000_000) } },
      signal: over.signal,
    });
    refused.push(`${status} after ${headers.get('retry-after')}`);
  });
  await eventually(() => {
    expect(asked + refused.length).toBe(calls.length);
  });
  expect(refused.filter((answer) => !/^503 after \d$/.test(answer))).toEqual([]);
  expect(refused.length).toBeGreaterThan(0);
  over.abort();
  await Promise.allSettled(calls);
  // Only invocations that reached the agent are recorded, as cancelled.
  await eventually(async () => {
    const recorded = await service.database.prisma.invocation.count({ where: { agentId: id } });
    expect(recorded).toBe(asked);
  });
});
