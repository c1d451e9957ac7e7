/** Property test: metrics match a simple reference, whatever the history, the range and the state of the counts. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Granularity, MetricName, MetricSeries } from '../../generated/api.js';
import { withHousekeepingLock } from '../../server/postgres/housekeeping-lock.js';
import { foldStep } from '../../server/metrics/usage.js';
import { recordHistory, type PastInvocation } from '../helpers/database/history.js';
import { useService, useTenant } from '../helpers/service/service.js';

const service = useService();
const tenant = useTenant(service);

const sizes: Record<Granularity, number> = {
  '1m': 60_000,
  '5m': 300_000,
  '1h': 3_600_000,
  '1d': 86_400_000,
};
const granularity = fc.constantFrom<Granularity>('1m', '5m', '1h', '1d');
const metric = fc.constantFrom<MetricName>(
  'response_time',
  'throughput',
  'error_rate',
  'token_usage',
);

/** Around bucket boundaries, where mistakes are likely, and anywhere else. */
const start = Date.parse('2026-02-27T22:30:00.000Z');
const time = fc.oneof(
  fc
    .tuple(granularity, fc.nat(4), fc.constantFrom(-1, 0, 1, 30_000))
    .map(([size, steps, shift]) => {
      const edge = Math.ceil(start / sizes[size]) * sizes[size];
      return edge + steps * sizes[size] + shift;
    }),
  fc.nat(4 * 86_400_000).map((shift) => start + shift),
);

const invocation: fc.Arbitrary<PastInvocation> = fc.record(
  {
    at: time,
    durationMs: fc.nat(120_000),
    failed: fc.boolean(),
    tokens: fc.oneof(fc.nat(50), fc.constant(2 ** 31 - 1)),
    environment: fc.constantFrom('staging', 'draft'),
  },
  { requiredKeys: ['at', 'durationMs', 'failed', 'tokens'] },
);

interface Question {
  metric: MetricName;
  granularity: Granularity;
  from: number;
  to: number;
  environment?: string;
}

const question: fc.Arbitrary<Question> = fc
  .record({
    metric,
    granularity,
    one: time,
    other: time,
    length: fc.integer({ min: 1, max: 1499 }),
    environment: fc.constantFrom(undefined, 'production', 'staging', 'nowhere'),
  })
  .map(({ metric: asked, granularity: size, one, other, length, environment }) => {
    const [from, to] = one < other ? [one, other] : [other, one + 1];
    return {
      metric: asked,
      granularity: size,
      from,
      to: Math.min(to, from + length * sizes[size]),
      ...(environment === undefined ? {} : { environment }),
    };
  });

function reference(
  history: PastInvocation[],
  { metric: name, granularity: size, from, to, environment }: Question,
) {
  const length = sizes[size];
  const values: { timestamp: string; value: number }[] = [];
  for (let bucket = Math.floor(from / length) * length; bucket < to; bucket += length) {
    const begin = Math.max(bucket, from);
    const end = Math.min(bucket + length, to);
    const within = history.filter(
      ({ at, environment: own = 'production' }) =>
        at >= begin && at < end && (environment === undefined || environment === own),
    );
    const durations = within.reduce((sum, { durationMs }) => sum + durationMs, 0);
    const failures = within.filter(({ failed }) => failed).length;
    const timestamp = new Date(bucket).toISOString();
    if (name === 'throughput') {
      values.push({ timestamp, value: within.length / ((end - begin) / 60_000) });
    } else if (name === 'error_rate') {
      values.push({ timestamp, value: within.length === 0 ? 0 : (100 * failures) / within.length });
    } else if (name === 'token_usage') {
      values.push({ timestamp, value: within.reduce((sum, { tokens = 0 }) => sum + tokens, 0) });
    } else if (within.length > 0) {
      values.push({ timestamp, value: durations / within.length });
    }
  }
  return values;
}

async function ask(agent_id: string, { from, to, ...rest }: Question): Promise<MetricSeries> {
  const { data } = await tenant.api.expect('getMetrics', 200, {
    path: { agent_id },
    query: {
      ...rest,
      start_time: new Date(from).toISOString(),
      end_time: new Date(to).toISOString(),
    },
  });
  return data;
}

async function expectAnswers(
  agentId: string,
  history: PastInvocation[],
  questions: readonly Question[],
): Promise<void> {
  for (const asked of questions) {
    const { metric: answered, values } = await ask(agentId, asked);
    const expected = reference(history, asked);
    expect(answered).toBe(asked.metric);
    expect(values.map(({ timestamp }) => timestamp)).toEqual(
      expected.map(({ timestamp }) => timestamp),
    );
    for (const [index, { value }] of values.entries()) {
      expect(value).toBeCloseTo(expected[index]?.value ?? NaN, 2);
    }
  }
}

test('the series matches the reference', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.array(invocation, { maxLength: 8 }), fc.nat(6)), {
        minLength: 1,
        maxLength: 4,
      }),
      fc.array(question, { minLength: 1, maxLength: 2 }),
      async (chapters, questions) => {
        const { id } = await tenant.newAgent();
        const history: PastInvocation[] = [];
        for (const [invocations, folded] of chapters) {
          await recordHistory(service.database, { ...tenant, agentId: id }, invocations);
          history.push(...invocations);
          // Some of the pending usage is folded into the counts, and some is not.
          if (folded > 0) {
            await withHousekeepingLock(service.database, (transaction) =>
              foldStep(transaction, folded),
            );
          }
          // Repeatedly, because the service's cache of the last response may be outdated.
          await expectAnswers(id, history, questions);
        }
      },
    ),
    { numRuns: 15 },
  );
});
