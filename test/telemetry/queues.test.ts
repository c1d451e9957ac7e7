/** Queue metrics: the number of waiting rows in the database, and the age of the oldest. */
import { expect, test } from '@jest/globals';
import { measureQueues } from '../../server/postgres/queues.sql.js';
import { eventually } from '../helpers/eventually.js';
import { scrape } from '../helpers/text/prometheus.js';
import { useAgent, useService, useTenant } from '../helpers/service/service.js';
import { message } from '../invocations/service-with-model.js';

const token = 'a-token-for-metrics-4711';
// Nothing consumes the queues.
const service = useService({
  METRICS_TOKEN: token,
  WORKER: 'off',
  ASYNC_CONCURRENCY: '0',
  ALLOW_PRIVATE_TARGETS: 'true',
});
const tenant = useTenant(service);
const agent = useAgent(tenant);

test('count waiting items, but not those in progress or postponed', async () => {
  const { prisma } = service.database;
  await tenant.api.expect('createWebhook', 201, {
    body: { url: 'http://127.0.0.1:9/hook', events: ['agent.completed'] },
  });
  for (let count = 0; count < 3; count += 1) {
    await tenant.api.expect('invokeAgent', 200, message(agent.id, 'Hello'));
    await tenant.api.expect('invokeAgent', 202, {
      ...message(agent.id, 'Hello'),
      headers: { prefer: 'respond-async' },
    });
  }
  const hour = 3_600_000;
  const [first, second] = await prisma.invocation.findMany({ where: { status: 'queued' } });
  await prisma.invocation.updateMany({
    where: { id: first?.id ?? '' },
    data: { availableAt: new Date(Date.now() - hour) },
  });
  await prisma.invocation.updateMany({
    where: { id: second?.id ?? '' },
    data: { status: 'running', availableAt: new Date(Date.now() + hour) },
  });
  const [delivery] = await prisma.delivery.findMany();
  await prisma.delivery.updateMany({
    where: { eventId: delivery?.eventId ?? '' },
    data: { nextAttemptAt: new Date(Date.now() + hour) },
  });
  await eventually(async () => {
    const exposition = await scrape(service.url, { token });
    const read = (name: string, queue: string) => exposition.value(name, { queue });
    expect(read('agent_hosting_queue_depth', 'invocations')).toBe(2);
    expect(read('agent_hosting_queue_depth', 'deliveries')).toBe(2);
    expect(read('agent_hosting_queue_oldest_age_seconds', 'invocations')).toBeGreaterThan(3_500);
    expect(read('agent_hosting_queue_oldest_age_seconds', 'deliveries')).toBeLessThan(600);
  });
});

test('are found among many accounts', async () => {
  const other = await service.tenant();
  const { id } = await other.newAgent();
  await other.api.expect('invokeAgent', 202, {
    ...message(id, 'Hello'),
    headers: { prefer: 'respond-async' },
  });
  await service.database.prisma.invocation.updateMany({
    where: { agentId: id },
    data: { availableAt: new Date(0) },
  });
  const { invocations } = await measureQueues(service.database);
  expect(invocations.depth).toBe(3);
  expect(invocations.oldestAge).toBeGreaterThan(1e9);
});
