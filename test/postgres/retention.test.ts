/** Retention: old rows are deleted in small steps, and totals, metrics and words match the remaining rows. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { pruneByAge } from '../../server/process/housekeeping.js';
import { createPartitions } from '../../server/postgres/retention/retention.js';
import { listPartitions, partitionedTables } from '../../server/postgres/retention/partitions.js';
import { withHousekeepingLock } from '../../server/postgres/housekeeping-lock.js';
import { foldStep } from '../../server/metrics/usage.js';
import { readUsage } from '../../server/metrics/read.sql.js';
import { lowestIdAt, newId } from '../../server/lib/data/typeid.js';
import { eventually } from '../helpers/eventually.js';
import { recordHistory } from '../helpers/database/history.js';
import { useService, useTenant } from '../helpers/service/service.js';

const service = useService();
const tenant = useTenant(service);

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Ids contain their creation time, so a pretended now makes them old. The current partition has ended by then. */
const inHundredDays = () => new Date(Date.now() + 100 * dayMs);

// Each table then has one partition for all times that the tests write, and one for later.
beforeAll(() =>
  eventually(async () => {
    await createPartitions(service.database, { days: undefined });
    await pruneByAge(service.database, { days: 5, now: inHundredDays() });
    const partitions = await listPartitions(service.database);
    const ends = partitions.map(({ to }) => to?.getTime() ?? Infinity);
    expect(partitions).toHaveLength(2 * Object.keys(partitionedTables).length);
    expect(Math.min(...ends)).toBeGreaterThan(Date.now());
  }),
);

async function agentWithPast(): Promise<string> {
  const { id } = await tenant.newAgent();
  const now = Date.now();
  await recordHistory(
    service.database,
    { ...tenant, agentId: id },
    Array.from({ length: 30 }, (_, n) => ({
      at: now - 2 * n * hourMs,
      durationMs: 100,
      failed: n % 3 === 0,
      logs: [{ at: now - 2 * n * hourMs, level: n % 2 ? ('info' as const) : ('error' as const) }],
      said: [{ content: `parcel number ${n}`, role: 'user' as const }],
    })),
  );
  return id;
}

async function pruneAll(retention: Parameters<typeof pruneByAge>[1]): Promise<number> {
  let steps = 1;
  // Runs once more at the end, because it gives up when other work of the service is in the way.
  for (let quiet = 0; quiet < 2;) {
    const hasMore = await pruneByAge(service.database, { batch: 7, ...retention });
    steps += hasMore ? 1 : 0;
    quiet = hasMore ? 0 : quiet + 1;
  }
  return steps;
}

/** Folds all usage; the service does so too, one at a time. */
async function foldAll(batch?: number): Promise<void> {
  do await withHousekeepingLock(service.database, (transaction) => foldStep(transaction, batch));
  while ((await service.database.prisma.usageDelta.count()) > 0);
}

async function logTotals(agent_id: string): Promise<Record<string, number>> {
  const totals: Record<string, number> = {};
  for (const level of ['any', 'info', 'error']) {
    const { data, pagination } = await tenant.api.expect('getLogs', 200, {
      path: { agent_id },
      query: level === 'any' ? {} : { level },
    });
    expect(data).toHaveLength(pagination.total);
    totals[level] = pagination.total;
  }
  return totals;
}

/** Whole days, so that the largest buckets are read. The API rounds to requests per minute, which is too coarse here. */
async function countedByDay(agentId: string): Promise<{ invocations: number; tokens: number }> {
  const today = Math.ceil(Date.now() / dayMs) * dayMs;
  const usage = await readUsage(service.database, {
    environment: undefined,
    accountId: tenant.accountId,
    agentId,
    range: { from: today - 5 * dayMs, to: today },
    bucketSeconds: dayMs / 1000,
  });
  return usage.reduce(
    (counted, { invocations, tokens }) => ({
      invocations: counted.invocations + invocations,
      tokens: counted.tokens + tokens,
    }),
    { invocations: 0, tokens: 0 },
  );
}

describe('Retention', () => {
  test('deletes log entries by their time, in small steps, and the totals follow at once', async () => {
    const id = await agentWithPast();
    await foldAll();
    expect(await logTotals(id)).toEqual({ any: 30, info: 15, error: 15 });
    // 60 hours of entries, of which one day is kept, plus the length of a partition, which is a day.
    expect(await pruneAll({ days: 1 })).toBeLessThan(5);
    expect(await logTotals(id)).toEqual({ any: 24, info: 12, error: 12 });
    await foldAll(2);
    expect(await logTotals(id)).toEqual({ any: 24, info: 12, error: 12 });
  });

  test('deletes invocations with their counts in the metrics, and leaves no empty counts behind', async () => {
    const id = await agentWithPast();
    await foldAll();
    expect(await countedByDay(id)).toEqual({ invocations: 30, tokens: 20 });
    await pruneAll({ days: 5, now: inHundredDays() });
    expect(await countedByDay(id)).toEqual({ invocations: 0, tokens: 0 });
    expect(await service.database.prisma.invocation.count({ where: { agentId: id } })).toBe(0);
    expect(await service.database.prisma.usageRollup.count({ where: { agentId: id } })).toBe(0);
  });

  test('skips a table after a deadlock, continues with the others, and soon tries again', async () => {
    const { database } = service;
    let attempts = 0;
    const transaction: typeof database.transaction = (work) => {
      attempts += 1;
      return attempts === 1
        ? Promise.reject(Object.assign(new Error('deadlock detected'), { code: '40P01' }))
        : database.transaction(work);
    };
    const step = pruneByAge({ ...database, transaction }, { days: 5 });
    await expect(step).resolves.toBe(undefined);
    expect(attempts).toBe(3);
  });

  test('says that there may be more while another instance does housekeeping', async () => {
    await eventually(async () => {
      const isHeld = await withHousekeepingLock(service.database, async () => {
        expect(await pruneByAge(service.database, { days: 5 })).toBe(undefined);
        return true;
      });
      expect(isHeld).toBe(true);
    });
  });

  test('deletes row by row around an old invocation that is still waiting', async () => {
    const id = await agentWithPast();
    const { accountId } = tenant;
    const { prisma } = service.database;
    await prisma.invocation.create({
      data: {
        accountId,
        id: newId('req'),
        agentId: id,
        status: 'queued',
        message: 'later',
        // So late that no worker takes it.
        availableAt: new Date(Date.now() + dayMs),
      },
    });
    await pruneByAge(service.database, { batch: 7, days: 5, now: inHundredDays() });
    expect((await countedByDay(id)).invocations).toBeGreaterThan(0);
    expect(await pruneAll({ days: 5, now: inHundredDays() })).toBeGreaterThan(2);
    expect(await prisma.invocation.count({ where: { agentId: id } })).toBe(1);
    expect(await logTotals(id)).toEqual({ any: 0, info: 0, error: 0 });
    await foldAll();
    await pruneAll({ days: 5, now: inHundredDays() });
    expect(await prisma.usageRollup.count({ where: { agentId: id } })).toBe(0);
    await prisma.invocation.deleteMany({ where: { agentId: id } });
  });

  test('deletes memory', async () => {
    const id = await agentWithPast();
    await pruneAll({ days: 5, now: inHundredDays() });
    expect(await service.database.prisma.memoryEntry.count({ where: { agentId: id } })).toBe(0);
  });

  test('deletes memory row by row from a partition that is too long, with the embeddings', async () => {
    const { id } = await tenant.newAgent();
    const { accountId } = tenant;
    const { memoryEntry, memoryEmbedding } = service.database.prisma;
    const old = Array.from({ length: 20 }, (_, n) => ({
      id: lowestIdAt('mem', new Date(Date.now() - (n + 10) * dayMs)),
      accountId,
      agentId: id,
      requestId: newId('req'),
      role: 'user' as const,
      content: 'parcel',
    }));
    await memoryEntry.createMany({ data: old });
    await memoryEmbedding.createMany({
      data: old.map((entry) => ({
        accountId,
        agentId: id,
        entryId: entry.id,
        model: 'm',
        embedding: [1],
        signature: '1',
      })),
    });
    await pruneAll({ days: 15 });
    // 15 days, plus the length of a partition, which is a day.
    expect(await memoryEntry.count({ where: { agentId: id } })).toBe(6);
    expect(await memoryEmbedding.count({ where: { agentId: id } })).toBe(6);
  });

  test('deletes events with their deliveries, except those still to be delivered', async () => {
    const { prisma } = service.database;
    const webhook = await prisma.webhook.create({
      data: {
        id: newId('wh'),
        accountId: tenant.accountId,
        url: 'https://example.com/hook',
        host: 'example.com',
        events: [],
        sealedSecret: Buffer.from('none'),
      },
    });
    const makeEvent = async (status: 'pending' | 'succeeded') => {
      const id = newId('evt');
      await prisma.event.create({
        data: {
          id,
          accountId: tenant.accountId,
          agentId: newId('agent'),
          requestId: newId('req'),
          type: 'agent.completed',
          body: Buffer.from('{}'),
        },
      });
      await prisma.delivery.create({
        data: {
          accountId: tenant.accountId,
          eventId: id,
          webhookId: webhook.id,
          status,
          nextAttemptAt: new Date(Date.now() + dayMs),
        },
      });
      return id;
    };
    const [done, waiting] = [await makeEvent('succeeded'), await makeEvent('pending')];
    await pruneAll({ days: 5, now: inHundredDays() });
    const left = await prisma.event.findMany({ where: { id: { in: [done, waiting] } } });
    expect(left.map(({ id }) => id)).toEqual([waiting]);
    const deliveries = () => prisma.delivery.count({ where: { webhookId: webhook.id } });
    expect(await deliveries()).toBe(1);
    await prisma.delivery.updateMany({ data: { status: 'succeeded' } });
    await pruneAll({ days: 5, now: inHundredDays() });
    expect(await deliveries()).toBe(0);
  });

  test('keeps younger rows', async () => {
    const id = await agentWithPast();
    await pruneAll({ days: 4 });
    expect(await logTotals(id)).toEqual({ any: 30, info: 15, error: 15 });
    expect(await service.database.prisma.memoryEntry.count({ where: { agentId: id } })).toBe(30);
  });
});

test('the service itself prunes when RETENTION_DAYS is set', async () => {
  const id = await agentWithPast();
  await service.database.prisma.$executeRaw`
    UPDATE log_entries SET logged_at = logged_at - interval '10 days' WHERE agent_id = ${id}`;
  await service.another({ RETENTION_DAYS: '5' });
  const left = () => service.database.prisma.logEntry.count({ where: { agentId: id } });
  await eventually(async () => {
    expect(await left()).toBe(0);
  });
});
