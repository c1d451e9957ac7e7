/** RETENTION_DAYS is lowered and the service restarted under load: only old rows are deleted, and writes continue. */
import { expect, test } from '@jest/globals';
import { createPartitions } from '../../server/postgres/retention/retention.js';
import { lowestIdAt, newId } from '../../server/lib/data/typeid.js';
import { listPartitions, partitionedTables } from '../../server/postgres/retention/partitions.js';
import { createTestDatabase, type OpenDatabase } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { insertLogs } from '../helpers/database/history.js';
import { type ServiceProcess, startServiceProcess } from '../helpers/programs/process.js';
import { testSecretsKey } from '../helpers/service/service.js';
import { startLoad } from './load.js';

const dayMs = 86_400_000;
/** With partitions of a month, and of a day. */
const [longDays, shortDays] = [84, 7];
const tables = Object.keys(partitionedTables).sort();
/** The rows of each kind, more than one step deletes. */
const rowsPerDay = 200;

interface History {
  logs: string[];
  invocations: string[];
  memories: string[];
  events: string[];
}

/** An agent's activity on each of the last days, at the start of an hour so that no row is at the limit itself. */
async function insertHistory(database: OpenDatabase, days: number): Promise<void> {
  const { prisma } = database;
  const { id: agentId, accountId } = await prisma.agent.findFirstOrThrow();
  const webhookId = newId('wh');
  const times = Array.from({ length: days * rowsPerDay }, (_, n) => {
    const day = Math.floor(n / rowsPerDay) + 0.5;
    return new Date(Date.now() - day * dayMs + (n % rowsPerDay));
  });
  const rows = times.map((at) => ({ at, request: lowestIdAt('req', at) }));
  await insertLogs(database, agentId, times);
  await prisma.invocation.createMany({
    data: rows.map(({ at, request }) => ({
      accountId,
      agentId,
      id: request,
      status: 'succeeded',
      createdAt: at,
    })),
  });
  await prisma.memoryEntry.createMany({
    data: rows.map(({ at, request }) => ({
      accountId,
      agentId,
      id: lowestIdAt('mem', at),
      requestId: request,
      role: 'user',
      content: 'an old parcel',
      createdAt: at,
    })),
  });
  const events = rows.map(({ at, request }) => ({
    id: lowestIdAt('evt', at),
    accountId,
    agentId,
    requestId: request,
    type: 'agent.completed',
    body: Buffer.from('{}'),
    createdAt: at,
  }));
  await prisma.event.createMany({ data: events });
  await prisma.delivery.createMany({
    data: events.map(({ id }) => ({ accountId, eventId: id, webhookId, status: 'succeeded' })),
  });
}

/** The rows from a time on, or before it. */
async function historyOf(
  { prisma }: OpenDatabase,
  range: 'gte' | 'lt',
  at: Date,
): Promise<History> {
  const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id).sort();
  const since = (prefix: 'req' | 'mem' | 'evt') => ({ id: { [range]: lowestIdAt(prefix, at) } });
  const select = { id: true };
  return {
    logs: idsOf(await prisma.logEntry.findMany({ where: { loggedAt: { [range]: at } }, select })),
    invocations: idsOf(await prisma.invocation.findMany({ where: since('req'), select })),
    memories: idsOf(await prisma.memoryEntry.findMany({ where: since('mem'), select })),
    events: idsOf(await prisma.event.findMany({ where: since('evt'), select })),
  };
}

/** The length of each closed partition in days, from today on; the first one begins at a day set by the migration. */
async function widthsOf(database: OpenDatabase): Promise<Record<string, number[]>> {
  const widths: Record<string, number[]> = {};
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  for (const { table, from, to } of await listPartitions(database)) {
    if (!from || !to) continue;
    (widths[table] ??= []).push((to.getTime() - Math.max(from.getTime(), today)) / dayMs);
  }
  return widths;
}

/** The widths of partitions by month: the rest of this one, and the next one if it begins within two days. */
function monthly(): number[] {
  const today = Math.floor(Date.now() / dayMs);
  const start = new Date();
  const widths: number[] = [];
  for (let day = today, month = 1; day <= today + 2; month += 1) {
    const next = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + month) / dayMs;
    widths.push(next - day);
    day = next;
  }
  return widths;
}

const allTables = (widths: number[]) => Object.fromEntries(tables.map((table) => [table, widths]));

test('a shorter retention deletes nothing that it should keep, and fails no write', async () => {
  const made = await createTestDatabase();
  const { url, database } = made;
  const instances: ServiceProcess[] = [];
  const start = async (retentionDays: number) => {
    const environment = {
      DATABASE_URL: url,
      SECRETS_KEY: testSecretsKey.toString('base64'),
      RETENTION_DAYS: String(retentionDays),
      DATABASE_POOL_SIZE: '8',
      LAME_DUCK_MS: '2000',
      NODE_NO_WARNINGS: '0',
    };
    const instance = await startServiceProcess({ environment });
    instances.push(instance);
    return instance;
  };
  try {
    const before = await start(longDays);
    const load = startLoad(await before.firstKey());
    load.add(before.url);
    // All rows are in the current partition: one that has ended would be dropped, and the rest left to a later run.
    await insertHistory(database, 14);
    await load.reached(50);
    await eventually(async () => {
      expect(await widthsOf(database)).toEqual(allTables(monthly()));
    });
    const kept = await historyOf(database, 'gte', new Date(Date.now() - shortDays * dayMs));
    expect(kept.logs.length).toBeGreaterThanOrEqual(shortDays * rowsPerDay);

    const after = await start(shortDays);
    load.add(after.url);
    expect(await before.end('SIGTERM')).toBe(0);
    load.remove(before.url);
    const nothing = { logs: [], invocations: [], memories: [], events: [] };
    // Rows in partitions that are longer than they should be are deleted up to a day later.
    const limit = new Date(Date.now() - (shortDays + 1) * dayMs);
    await eventually(async () => {
      expect(await historyOf(database, 'lt', limit)).toEqual(nothing);
    }, 60_000);
    await load.reached(load.done() + 50);

    // As on the day before the last long partition ends.
    const days = monthly().reduce((sum, width) => sum + width, Math.floor(Date.now() / dayMs));
    const later = { days: shortDays, now: new Date((days - 1) * dayMs) };
    await eventually(async () => {
      await createPartitions(database, later);
      expect(await widthsOf(database)).toEqual(allTables([...monthly(), 1, 1]));
    }, 60_000);
    await load.reached(load.done() + 50);

    const { failures, invoked } = await load.stop();
    expect(failures).toEqual([]);
    const left = await historyOf(database, 'gte', new Date(Date.now() - shortDays * dayMs));
    for (const kind of ['logs', 'invocations', 'memories', 'events'] as const) {
      const there = new Set(left[kind]);
      expect([kind, kept[kind].filter((id) => !there.has(id))]).toEqual([kind, []]);
    }
    expect(left.invocations).toEqual(expect.arrayContaining(invoked));
    // Such as those of listeners.
    expect(instances.map(({ stderr }) => stderr())).toEqual(['', '']);
  } finally {
    await Promise.all(instances.map((instance) => instance.end('SIGTERM')));
    await made.close();
  }
}, 300_000);
