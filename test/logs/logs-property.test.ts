/** Property test: pages, filters and totals of logs match a simple reference, whatever is folded into the counts. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { LogLevel } from '../../generated/api.js';
import { withHousekeepingLock } from '../../server/postgres/housekeeping-lock.js';
import { foldStep } from '../../server/metrics/usage.js';
import { newId } from '../../server/lib/data/typeid.js';
import { insertLogEntries, type NewLogEntry } from '../../server/logs/logs.js';
import { useService, useTenant } from '../helpers/service/service.js';

const service = useService();
const tenant = useTenant(service);

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const start = Date.parse('2026-06-30T22:00:00.000Z');

const level = fc.constantFrom<LogLevel>('debug', 'info', 'warn', 'error');
const requestIds = Array.from({ length: 4 }, () => newId('req'));
const requestId = fc.constantFrom(...requestIds);
const time = fc
  .tuple(fc.constantFrom(minute, hour, day), fc.nat(4), fc.constantFrom(-1, 0, 1, 20_000))
  .map(([size, steps, shift]) => Math.ceil(start / size) * size + steps * size + shift);

/** Null: production. */
const environment = fc.constantFrom(null, null, 'staging', 'draft');

const filter = fc.record(
  {
    level,
    request_id: requestId,
    environment: fc.constantFrom('production', 'staging', 'draft', 'nowhere'),
    from: time,
    to: time,
  },
  { requiredKeys: [] },
);
const page = fc.record({ limit: fc.integer({ min: 1, max: 20 }), offset: fc.nat(15) });

test('every page matches the reference', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.tuple(
          fc.array(fc.record({ level, requestId, environment, at: time }), { maxLength: 12 }),
          fc.nat(3),
        ),
        { maxLength: 4 },
      ),
      fc.array(fc.tuple(filter, page), { minLength: 1, maxLength: 5 }),
      async (chapters, questions) => {
        const { id: agentId } = await tenant.newAgent();
        const written: (NewLogEntry & { environment: string | null })[] = [];
        for (const [entries, folded] of chapters) {
          const whole = entries.map(({ at, ...entry }) => ({
            ...entry,
            id: newId('log'),
            accountId: tenant.accountId,
            agentId,
            at: new Date(at),
            message: 'Something happened.',
          }));
          await service.database.transaction((transaction) =>
            insertLogEntries(
              transaction,
              whole.map(({ environment: _environment, ...entry }) => entry),
            ),
          );
          for (const { id, environment: of } of whole) {
            // Only invocations write such entries, with everything else that they leave.
            if (of === null) continue;
            const where = { agentId, id };
            await service.database.prisma.logEntry.updateMany({ where, data: { environment: of } });
          }
          written.push(...whole);
          if (folded > 0) {
            await withHousekeepingLock(service.database, (transaction) =>
              foldStep(transaction, folded),
            );
          }
        }
        const newestFirst = written.sort(
          (a, b) => b.at.getTime() - a.at.getTime() || (a.id < b.id ? 1 : -1),
        );
        for (const [{ from, to, ...rest }, { limit, offset }] of questions) {
          if (from !== undefined && to !== undefined && from >= to) continue;
          const matching = newestFirst.filter(
            (entry) =>
              (rest.level === undefined || entry.level === rest.level) &&
              (rest.environment === undefined ||
                (entry.environment ?? 'production') === rest.environment) &&
              (rest.request_id === undefined || entry.requestId === rest.request_id) &&
              (from === undefined || entry.at.getTime() >= from) &&
              (to === undefined || entry.at.getTime() < to),
          );
          const { data, pagination } = await tenant.api.expect('getLogs', 200, {
            path: { agent_id: agentId },
            query: {
              ...rest,
              ...(from === undefined ? {} : { start_time: new Date(from).toISOString() }),
              ...(to === undefined ? {} : { end_time: new Date(to).toISOString() }),
              limit,
              offset,
            },
          });
          expect(data.map(({ id }) => id)).toEqual(
            matching.slice(offset, offset + limit).map(({ id }) => id),
          );
          expect(pagination).toEqual({
            limit,
            offset,
            total: matching.length,
            has_more: offset + data.length < matching.length,
          });
        }
      },
    ),
    { numRuns: 40 },
  );
});
