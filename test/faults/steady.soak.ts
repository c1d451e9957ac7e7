/** `npm run test:soak`: ten minutes of mixed load leave no error, no growing memory, and no table that only grows. */
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { newId } from '../../server/lib/data/typeid.js';
import { createNeighbour } from '../hostile/neighbour.js';
import { percentile } from '../../scripts/bench/lib/statistics.js';
import { useFixture } from '../helpers/service/fixture.js';
import { startServiceProcess } from '../helpers/programs/process.js';
import { residentMemory } from '../helpers/programs/resident-memory.js';
import { environmentFor, useService, useTenant } from '../helpers/service/service.js';
import type { Instance } from './instances.js';
import { openLedger } from './ledger.js';
import { seeded } from '../helpers/text/random.js';
import { seed } from './report.js';

const minutes = Number(process.env['SOAK_MINUTES'] ?? 10);
const minuteMs = 60_000;
const warmUpMinutes = Math.min(2, minutes / 2);
const growth = 1.1;
const longAgo = new Date(Date.now() - 200 * 24 * 60 * minuteMs);

// This service creates the accounts and queries the database; the service under load is another process.
const observer = useService({ WORKER: 'off', ASYNC_CONCURRENCY: '0' });
const writer = useTenant(observer);
const reader = useTenant(observer);
// Inserted before the service starts, so that its retention deletes them.
beforeAll(async () => {
  const { prisma } = observer.database;
  const { accountId } = writer;
  const { id: agentId } = await writer.newAgent();
  await prisma.logEntry.create({
    data: {
      accountId,
      agentId,
      id: newId('log'),
      loggedAt: longAgo,
      level: 'info',
      message: 'Long ago',
    },
  });
  await prisma.idempotencyRecord.create({
    data: {
      accountId,
      id: Buffer.alloc(32),
      requestHash: Buffer.alloc(32),
      state: 'running',
      owner: 'a dead instance',
      leaseUntil: longAgo,
      expiresAt: longAgo,
    },
  });
});
const service = useFixture(
  () =>
    startServiceProcess({
      environment: { ...environmentFor(observer), LOG_LEVEL: 'error', RETENTION_DAYS: '90' },
    }),
  (program) => program.end('SIGTERM'),
);

/** The median over a period, because a single sample may come before or after a garbage collection. */
async function steadyMb(): Promise<number> {
  const samples: number[] = [];
  for (let count = 0; count < 20; count += 1) {
    samples.push(await residentMemory(service.pid));
    await delay(500);
  }
  return percentile(samples, 0.5);
}

test(
  `${minutes} minutes`,
  async () => {
    const { prisma, pool } = observer.database;
    const agents = await Promise.all([0, 1, 2, 3].map(async () => (await writer.newAgent()).id));
    const instance: Pick<Instance, 'url' | 'ends'> = { url: () => service.url, ends: () => 0 };
    const ledger = openLedger({
      instances: [instance],
      key: writer.key,
      agents,
      random: seeded(seed),
      pauseMs: 100,
    });
    const over = new AbortController();
    const neighbour = await createNeighbour(service.url, reader);
    const experience = neighbour.work(over.signal);

    await delay(warmUpMinutes * minuteMs);
    const before = await steadyMb();
    await delay((minutes - warmUpMinutes) * minuteMs);
    const after = await steadyMb();
    over.abort();
    await ledger.close();
    const { latencies, failures } = await experience;
    process.stdout.write(
      `${latencies.length} requests, ${ledger.acknowledged.length} writes, p99 ${percentile(latencies, 0.99).toFixed(0)} ms, ` +
        `${before.toFixed(0)} MB after ${warmUpMinutes} minutes, ${after.toFixed(0)} MB at the end\n`,
    );

    expect(failures).toEqual([]);
    expect(ledger.surprises).toEqual([]);
    expect(ledger.outage).toEqual({ ended: 0, other: 0 });
    expect(after).toBeLessThan(before * growth);
    expect(await prisma.logEntry.count({ where: { loggedAt: longAgo } })).toBe(0);
    expect(await prisma.idempotencyRecord.count({ where: { expiresAt: longAgo } })).toBe(0);
    expect(await prisma.sessionLease.count()).toBe(0);
    // Usage is folded into a few rows per minute.
    const { rows } = await pool.query<{ deltas: number }>(
      `SELECT count(*)::int AS deltas FROM usage_deltas WHERE bucket_start < now() - interval '5 minutes'`,
    );
    expect(rows).toEqual([{ deltas: 0 }]);
  },
  (minutes + 3) * minuteMs,
);
