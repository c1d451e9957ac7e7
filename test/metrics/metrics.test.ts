/** Get metrics, over real HTTP and PostgreSQL. */
import { describe, expect, test } from '@jest/globals';
import { recordHistory } from '../helpers/database/history.js';
import { useService, useTenant } from '../helpers/service/service.js';

const service = useService();
const tenant = useTenant(service);

async function metricsOf(agent_id: string, query: Record<string, string>) {
  const { data } = await tenant.api.expect('getMetrics', 200, { path: { agent_id }, query });
  return data;
}

async function refusal(query: Record<string, string>) {
  const { id } = await tenant.newAgent();
  const { error } = await tenant.api.expect('getMetrics', 400, { path: { agent_id: id }, query });
  return error;
}

const at = (time: string) => Date.parse(`2026-03-10T${time}Z`);
const hours = { start_time: '2026-03-10T08:00:00Z', end_time: '2026-03-10T11:00:00Z' };

async function agentWithHistory(): Promise<string> {
  const { id } = await tenant.newAgent();
  await recordHistory(service.database, { ...tenant, agentId: id }, [
    { at: at('08:00:00.000'), durationMs: 100, failed: false },
    { at: at('08:30:00.000'), durationMs: 201, failed: true },
    { at: at('08:59:59.999'), durationMs: 300, failed: false },
    { at: at('10:00:00.000'), durationMs: 40, failed: false },
    { at: at('11:00:00.000'), durationMs: 9_999, failed: true },
  ]);
  return id;
}

describe('Get metrics', () => {
  test('response_time is the mean in ms, and omits buckets without invocations', async () => {
    const id = await agentWithHistory();
    expect(await metricsOf(id, { metric: 'response_time', ...hours })).toEqual({
      metric: 'response_time',
      values: [
        { timestamp: '2026-03-10T08:00:00.000Z', value: 200.333, unit: 'ms' },
        { timestamp: '2026-03-10T10:00:00.000Z', value: 40, unit: 'ms' },
      ],
    });
  });

  test('throughput is per minute, and zero for empty buckets', async () => {
    const id = await agentWithHistory();
    const { values } = await metricsOf(id, { metric: 'throughput', ...hours });
    expect(values).toEqual([
      { timestamp: '2026-03-10T08:00:00.000Z', value: 0.05, unit: 'requests_per_minute' },
      { timestamp: '2026-03-10T09:00:00.000Z', value: 0, unit: 'requests_per_minute' },
      { timestamp: '2026-03-10T10:00:00.000Z', value: 0.017, unit: 'requests_per_minute' },
    ]);
  });

  test('error_rate is in percent, and zero for empty buckets', async () => {
    const id = await agentWithHistory();
    const { values } = await metricsOf(id, { metric: 'error_rate', ...hours });
    expect(values.map(({ value, unit }) => [value, unit])).toEqual([
      [33.333, 'percent'],
      [0, 'percent'],
      [0, 'percent'],
    ]);
  });

  test('tokens are summed up, including failed invocations, and zero for empty buckets', async () => {
    const { id } = await tenant.newAgent();
    await recordHistory(service.database, { ...tenant, agentId: id }, [
      { at: at('08:00:00.000'), durationMs: 100, failed: false, tokens: 40 },
      { at: at('08:30:00.000'), durationMs: 100, failed: true, tokens: 2 },
      { at: at('08:31:00.000'), durationMs: 100, failed: true },
      { at: at('10:59:30.000'), durationMs: 100, failed: false, tokens: 2_000_000_000 },
      { at: at('10:59:40.000'), durationMs: 100, failed: false, tokens: 2_000_000_000 },
    ]);
    const { values } = await metricsOf(id, { metric: 'token_usage', ...hours });
    expect(values).toEqual([
      { timestamp: '2026-03-10T08:00:00.000Z', value: 42, unit: 'tokens' },
      { timestamp: '2026-03-10T09:00:00.000Z', value: 0, unit: 'tokens' },
      { timestamp: '2026-03-10T10:00:00.000Z', value: 4_000_000_000, unit: 'tokens' },
    ]);
  });

  test('a bucket that is partly in the range counts that part, and its throughput is per minute of it', async () => {
    const id = await agentWithHistory();
    const { values } = await metricsOf(id, {
      metric: 'throughput',
      start_time: '2026-03-10T08:30:00.000Z',
      end_time: '2026-03-10T10:00:00.001Z',
    });
    expect(values.map(({ timestamp, value }) => [timestamp.slice(11, 16), value])).toEqual([
      ['08:00', Math.round((2 / 30) * 1000) / 1000],
      ['09:00', 0],
      ['10:00', 60_000],
    ]);
  });

  test('counts real invocations at once, including failed ones', async () => {
    const { id } = await tenant.newAgent();
    const { id: broken } = await tenant.newAgent({ model: 'openai/gone' });
    for (const message of ['one', 'two']) {
      await tenant.api.expect('invokeAgent', 200, { path: { agent_id: id }, body: { message } });
    }
    await tenant.api.expect('invokeAgent', 502, {
      path: { agent_id: broken },
      body: { message: 'three' },
    });
    const day = { granularity: '1d', metric: 'error_rate' };
    const rates = async (agent: string) =>
      (await metricsOf(agent, day)).values.map(({ value }) => value);
    expect(Math.max(...(await rates(id)))).toBe(0);
    expect(Math.max(...(await rates(broken)))).toBe(100);
    const { values } = await metricsOf(id, { ...day, metric: 'response_time' });
    expect(values).toHaveLength(1);
  });

  test('defaults to the last 24 hours by the hour', async () => {
    const { id } = await tenant.newAgent();
    const hour = 3_600_000;
    const firstBucket = () => Math.floor((Date.now() - 24 * hour) / hour) * hour;
    const before = firstBucket();
    const { values } = await metricsOf(id, { metric: 'throughput' });
    // An hour may begin during the request.
    expect([before, firstBucket()]).toContain(Date.parse(values[0]?.timestamp ?? ''));
    expect([24, 25]).toContain(values.length);
  });

  test('a start alone ends now, an end alone starts 24 hours before', async () => {
    const { id } = await tenant.newAgent();
    const start_time = new Date(Date.now() - 30 * 60_000).toISOString();
    const fromStart = await metricsOf(id, { metric: 'throughput', granularity: '1m', start_time });
    expect([30, 31]).toContain(fromStart.values.length);
    const toEnd = await metricsOf(id, {
      metric: 'throughput',
      end_time: '2026-03-10T00:00:00Z',
    });
    expect(toEnd.values[0]?.timestamp).toBe('2026-03-09T00:00:00.000Z');
    expect(toEnd.values).toHaveLength(24);
  });

  test('1,500 buckets are returned; one more is a 400 that names a granularity that fits', async () => {
    const { id } = await tenant.newAgent();
    const minutes = { metric: 'throughput', granularity: '1m', start_time: '2026-03-10T00:00:00Z' };
    const { values } = await metricsOf(id, { ...minutes, end_time: '2026-03-11T01:00:00Z' });
    expect(values).toHaveLength(1_500);
    const error = await refusal({ ...minutes, end_time: '2026-03-11T01:00:00.001Z' });
    expect(error.details).toEqual([
      {
        field: 'granularity',
        error:
          'the range has 1501 buckets, but at most 1500 are allowed; choose 5m or a shorter range',
      },
    ]);
  });

  test('a range that no granularity fits is a 400 that says so', async () => {
    const { details } = await refusal({
      metric: 'throughput',
      granularity: '1h',
      start_time: '1970-01-01T00:00:00Z',
      end_time: '9999-12-31T23:59:59Z',
    });
    expect(details?.[0]?.error).toMatch(/; choose a shorter range$/);
  });

  test.each([
    ['metric', {}],
    ['metric', { metric: 'latency' }],
    ['granularity', { metric: 'throughput', granularity: '2m' }],
    ['start_time', { metric: 'throughput', start_time: '2999-01-01T00:00:00Z' }],
    [
      'start_time',
      {
        metric: 'throughput',
        start_time: '2026-03-10T00:00:00Z',
        end_time: '2026-03-10T00:00:00Z',
      },
    ],
  ])('400 naming %s for %j', async (field, query) => {
    const { details } = await refusal(query);
    expect(details?.map((problem) => problem.field)).toEqual([field]);
  });
});
