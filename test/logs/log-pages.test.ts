/** Pages of a log at any offset, and their totals, match a complete read. */
import { beforeAll, expect, test } from '@jest/globals';
import type { LogLevel } from '../../generated/api.js';
import { newId } from '../../server/lib/data/typeid.js';
import { readLogPage } from '../../server/logs/page.sql.js';
import { deleteOldLogEntries } from '../../server/logs/logs.js';
import { foldUsage } from '../../server/metrics/usage.js';
import { useDatabase } from '../helpers/database/database.js';
import { recordHistory } from '../helpers/database/history.js';
import { insertAccount, insertAgent } from '../helpers/database/rows.js';

const made = useDatabase();
const levels = ['debug', 'info', 'warn', 'error'] as const;
const second = 1_000;
const day = 86_400 * second;
const start = Date.parse('2026-06-28T21:59:30.000Z');
let accountId: string;
let agentId: string;

/** Many entries in one minute, a few per hour, and none for days. */
const gaps = [0, 0, 3, 20, 59, 61, 1_800, 7_000].map((seconds) => seconds * second);

beforeAll(async () => {
  accountId = await insertAccount(made.database);
  agentId = await insertAgent(made.database, accountId);
  let at = start;
  const logs = Array.from({ length: 5_000 }, (_, n) => {
    at += n % 1_000 === 999 ? 2 * day : n % 1_000 > 500 ? 5 : (gaps[(n * 7) % gaps.length] ?? 0);
    return { at, level: levels[((n * 13) % 7) % 4] ?? 'info' };
  });
  for (let n = 0; n < logs.length; n += 500) {
    const chapter = { at: start, durationMs: 1, failed: false, logs: logs.slice(n, n + 500) };
    await recordHistory(made.database, { accountId, agentId }, [chapter]);
    // The last ones are not folded.
    if (n < 4_000) await foldUsage(made.database, accountId, 5_000);
  }
  // Leaves counts of deleted entries, and negative ones that are not folded.
  await made.database.transaction((transaction) =>
    deleteOldLogEntries(transaction, accountId, new Date(start + 3_600 * second), 1_000),
  );
  await foldUsage(made.database, accountId, 3);
});

const within = (days: number) => start + days * day;

test.each<[string, LogLevel | undefined, number, number]>([
  ['all', undefined, -Infinity, Infinity],
  ['of one level', 'warn', -Infinity, Infinity],
  ['from a time on', undefined, within(2.0001), Infinity],
  ['up to a time', undefined, -Infinity, within(6.12345)],
  ['of a range and a level', 'info', within(0.2), within(7.01)],
  ['of whole minutes', undefined, start + 30 * second, start + 30 * second + 9 * day],
  ['that do not exist', undefined, within(400), within(500)],
])('entries %s, at every offset', async (_name, level, from, to) => {
  const { rows } = await made.database.pool.query<{ id: string }>(
    `SELECT id FROM log_entries
      WHERE agent_id = $1 AND ($2::text IS NULL OR level::text = $2)
        AND extract(epoch FROM logged_at) * 1000 >= $3::float8 AND extract(epoch FROM logged_at) * 1000 < $4::float8
      ORDER BY logged_at DESC, id DESC`,
    [agentId, level ?? null, from, to],
  );
  const ids = rows.map(({ id }) => id);
  const offsets = Array.from({ length: 60 }, (_, n) => 990 + n * 73);
  for (const offset of [0, 1, 999, 1_000, 1_001, ids.length - 1, ids.length, ...offsets]) {
    if (offset < 0) continue;
    const filter = {
      accountId,
      agentId,
      level,
      requestId: undefined,
      environment: undefined,
      range: { from, to },
    };
    const { items, total } = await readLogPage(made.database, { ...filter, limit: 7, offset });
    expect([offset, total]).toEqual([offset, ids.length]);
    expect(items.map(({ id }) => id)).toEqual(ids.slice(offset, offset + 7));
  }
});

test('another agent with the same times is not included', async () => {
  const other = await insertAgent(made.database, accountId);
  const range = { from: -Infinity, to: Infinity };
  const none = { level: undefined, requestId: undefined, environment: undefined };
  const query = { accountId, agentId: other, ...none, range, limit: 5 };
  expect(await readLogPage(made.database, { ...query, offset: 1_000 })).toEqual({
    items: [],
    total: 0,
  });
  const request = { ...query, requestId: newId('req'), offset: 2_000 };
  expect(await readLogPage(made.database, request)).toEqual({ items: [], total: 0 });
});
