/** Logic of the console that needs no browser. */
import { describe, expect, test } from '@jest/globals';
import {
  refreshIntervalMs,
  canSendInBackground,
  rateLimit,
} from '../../client/console/api/connection.js';
import { runInBackground } from '../../client/console/api/queue.js';
import { timeSince, timeUntil } from '../../client/console/lib/relative-time.js';
import { maxVisibleRows, visibleRows } from '../../client/console/lib/virtual-rows.js';
import {
  decisionsOf,
  defaultMessage,
  formatArguments,
  neededPermission,
} from '../../client/console/pages/chat/approval.js';
import {
  type Answer,
  pairOf,
  queryOf,
  replaceIn,
  requestOf,
  statusOf,
  summaryOf,
} from '../../client/console/pages/chat/comparison.js';
import { environmentsOf } from '../../client/console/pages/agent/environments.js';
import { loadedDraft, nextVersion } from '../../client/console/pages/deployments/differences.js';
import { createLogEntries } from '../../client/console/pages/logs/log-entries.js';
import { highlight } from '../../client/console/pages/memory/highlight.js';
import { deploymentMarks } from '../../client/console/pages/metrics/marks.js';
import { percentilesOf } from '../../client/console/pages/metrics/percentiles.js';
import { granularityOf, totalsOf } from '../../client/console/pages/metrics/series.js';
import type {
  AgentHosting,
  Deployment,
  GetLogsQuery,
  LogEntry,
  PendingApproval,
} from '../../client/src/index.js';

describe('the log entries read so far', () => {
  const entry = (number: number): LogEntry => ({
    id: `log_${String(number).padStart(26, '0')}`,
    timestamp: new Date(number * 1_000).toISOString(),
    level: 'info',
    message: `Entry ${number}`,
    metadata: { request_id: 'req_1' },
  });

  /** A service with these entries, newest first. */
  function serviceWith(stored: LogEntry[]): AgentHosting {
    const list = (_agent: string, { limit = 100, offset = 0 }: GetLogsQuery) => {
      const sorted = stored.toSorted((one, other) => (one.timestamp < other.timestamp ? 1 : -1));
      const data = sorted.slice(offset, offset + limit);
      const total = stored.length;
      return Promise.resolve({
        data,
        pagination: { limit, offset, total, has_more: offset + limit < total },
      });
    };
    return { logs: { list } } as unknown as AgentHosting;
  }

  const { signal } = new AbortController();
  const numbers = (entries: LogEntry[]) => entries.map(({ message }) => Number(message.slice(6)));

  test('contain each entry once, in order, even if entries are added between pages', async () => {
    const stored = Array.from({ length: 900 }, (_, index) => entry(index * 2));
    const client = serviceWith(stored);
    const log = createLogEntries('bot', {});
    await log.readMore(client, signal);
    expect(log.entries.value.length).toBe(200);
    // New entries move known ones onto the next page; one is stored late, among older ones.
    stored.push(entry(5_000), entry(5_001), entry(1_501));
    await log.readNew(client, signal);
    expect(numbers(log.entries.value).slice(0, 3)).toEqual([5_001, 5_000, 1_798]);
    expect(numbers(log.entries.value)).toContain(1_501);
    await log.readMore(client, signal);
    expect(log.hasMore()).toBe(false);
    expect(log.entries.value.length).toBe(903);
    const all = numbers(log.entries.value);
    expect(all).toEqual(all.toSorted((one, other) => other - one));
  });
});

describe('refreshing', () => {
  test('pauses longer if the rate limit is low', () => {
    rateLimit.value = { limit: 20_000, remaining: 20_000, fullAt: 0 };
    expect(refreshIntervalMs(4, 15_000)).toBe(15_000);
    rateLimit.value = { limit: 100, remaining: 100, fullAt: 0 };
    expect(refreshIntervalMs(4, 15_000)).toBe(24_000);
  });

  test('delays background requests until enough of the rate limit is left', async () => {
    rateLimit.value = { limit: 100, remaining: 5, fullAt: Date.now() + 60_000 };
    let isDone = false;
    const work = () => Promise.resolve().then(() => (isDone = true));
    const done = runInBackground(work, new AbortController().signal);
    await new Promise(setImmediate);
    expect(isDone).toBe(false);
    rateLimit.value = { limit: 100, remaining: 90, fullAt: Date.now() + 60_000 };
    await done;
  });

  test('leaves the last third of the rate limit to users and programs', () => {
    const fullAt = Date.now() + 60_000;
    rateLimit.value = { limit: 100, remaining: 31, fullAt };
    expect(canSendInBackground()).toBe(true);
    rateLimit.value = { limit: 100, remaining: 30, fullAt };
    expect(canSendInBackground()).toBe(false);
    rateLimit.value = { limit: 100, remaining: 0, fullAt: Date.now() - 1 };
    expect(canSendInBackground()).toBe(true);
  });
});

describe('visible rows', () => {
  test.each([
    [0, 0],
    [3, 0],
    [10_000, 0],
    [10_000, 159_000],
    [10_000, 10_000_000],
  ])('of %i, scrolled by %i, are few and within the list', (count, scrollTop) => {
    const { first, end } = visibleRows(count, 32, scrollTop, 600);
    expect(first).toBeGreaterThanOrEqual(0);
    expect(end).toBeLessThanOrEqual(count);
    expect(end).toBeGreaterThanOrEqual(first);
    expect(end - first).toBeLessThanOrEqual(maxVisibleRows(32, 600));
  });
});

test('words of a query are highlighted in their inflected forms', () => {
  const found = highlight('The parcels arrived, at 5 o’clock', 'parcel arriving 5')
    .filter(({ isMatch }) => isMatch)
    .map(({ text }) => text);
  expect(found).toEqual(['parcels', 'arrived', '5']);
});

test.each([
  [undefined, '1.0.0'],
  ['1.4.1', '1.4.2'],
  ['2026.11-rc9', '2026.11-rc10'],
  ['stable', 'stable-2'],
])('after version %s comes %s', (version, next) => {
  expect(nextVersion(version)).toBe(next);
});

test('a chart has a few hundred buckets, and its totals include partial buckets at the edges', () => {
  const hour = 3_600_000;
  expect(granularityOf({ start: 0, end: hour })).toBe('1m');
  expect(granularityOf({ start: 0, end: 24 * hour })).toBe('5m');
  expect(granularityOf({ start: 0, end: 30 * 24 * hour })).toBe('1h');
  expect(granularityOf({ start: 0, end: 365 * 24 * hour })).toBe('1d');
  const totals = totalsOf({
    times: [0, 300],
    throughput: [2, 4],
    error_rate: [50, null],
    response_time: [100, 400],
    token_usage: [7, 5],
    range: { start: 150_000, end: 600_000 },
    granularity: '5m',
  });
  expect(totals).toEqual({
    invocations: 25,
    errors: 3,
    tokens: 12,
    responseTime: (5 * 100 + 20 * 400) / 25,
  });
});

describe('relative times', () => {
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

  test.each([
    [0, 'just now'],
    // The clock of the service may be ahead.
    [-20 * minute, 'just now'],
    [29_000, 'just now'],
    [minute, '1 minute ago'],
    [59.7 * minute, '1 hour ago'],
    [23 * hour, '23 hours ago'],
    [45 * day, '45 days ago'],
    [400 * day, '13 months ago'],
    [3 * 365 * day, '3 years ago'],
  ])('%i ms ago: %s', (distance, words) => {
    expect(timeSince(0, distance)).toBe(words);
  });

  test.each([
    [1_000, 'in less than a minute'],
    [7 * day - 1_000, 'in 7 days'],
    [90 * day - 1_000, 'in 90 days'],
    [365 * day - 1_000, 'in 12 months'],
  ])('in %i ms: %s', (distance, words) => {
    expect(timeUntil(distance, 0)).toBe(words);
  });
});

test('charts mark production deployments that were not rolled back at once', () => {
  const deployment = (version: string, seconds: number, environment = 'production') =>
    ({ version, environment, activated_at: new Date(seconds * 1_000).toISOString() }) as Deployment;
  // 1.4.2 was rolled back two seconds later, so 1.4.1 was activated again.
  const deployments = [
    deployment('1.4.2', 3_600),
    deployment('1.4.1', 3_602),
    deployment('9.9.9', 4_000, 'staging'),
    deployment('1.3.0', 100),
  ];
  expect(deploymentMarks(deployments, 'production', 300)).toEqual([
    { at: 100, version: '1.3.0' },
    { at: 3_602, version: '1.4.1' },
  ]);
});

test('percentiles include invocations, but not tool calls', () => {
  const entry = (metadata: Record<string, unknown>) =>
    ({ metadata: { request_id: 'req_1', ...metadata } }) as unknown as LogEntry;
  const entries = Array.from({ length: 100 }, (_, index) => entry({ duration_ms: 100 - index }));
  const others = [entry({ duration_ms: 9_999, tool: 'price' }), entry({})];
  expect(percentilesOf([...entries, ...others])).toEqual({ p50: 50, p95: 95, invocations: 100 });
  expect(percentilesOf(others)).toBeUndefined();
});

describe('calls that wait for approval', () => {
  const call = (call_id: string, approver: PendingApproval['approver'] = 'caller') => ({
    ...{ call_id, approver, tool: 'refund', arguments: {} },
    expires_at: '2030-01-01T00:00:00.000Z',
  });
  const calls = [call('call_1'), call('call_2')];

  test('have no decisions until each call has one', () => {
    expect(decisionsOf(calls, {})).toBeUndefined();
    expect(decisionsOf(calls, { call_1: { decision: 'approve' }, call_2: {} })).toBeUndefined();
    expect(decisionsOf(calls, { call_1: { note: 'no' }, call_3: { decision: 'approve' } })).toBe(
      undefined,
    );
  });

  test('are rejected with the reason that was given, and approved without', () => {
    const decisions = decisionsOf(calls, {
      call_1: { decision: 'approve', note: 'too much' },
      call_2: { decision: 'reject', note: ' too much ' },
    });
    expect(decisions).toEqual([
      { call_id: 'call_1', decision: 'approve' },
      { call_id: 'call_2', decision: 'reject', note: 'too much' },
    ]);
    const withoutReason = { decision: 'reject', note: ' ' } as const;
    expect(decisionsOf([call('call_1')], { call_1: withoutReason })).toEqual([
      { call_id: 'call_1', decision: 'reject' },
    ]);
  });

  test('have a message that says what was decided', () => {
    const approved = { call_id: 'call_1', decision: 'approve' } as const;
    const rejected = { call_id: 'call_2', decision: 'reject' } as const;
    expect(defaultMessage([approved])).toBe('Approved.');
    expect(defaultMessage([rejected, rejected])).toBe('Rejected.');
    expect(defaultMessage([approved, rejected])).toBe('Decided.');
  });

  test('need the permission of the strictest one', () => {
    expect(neededPermission(calls)).toBe('write');
    expect(neededPermission([...calls, call('call_3', 'manage')])).toBe('manage');
  });

  test('show arguments as JSON that keeps its value and hides no character', () => {
    const values = { 'a\u202e': ['\n\u200d\u0000', { '<b>': 1.5 }], empty: {} };
    const text = formatArguments(values);
    expect(text).toContain(String.raw`"\n\u200d\u0000"`);
    expect(text).toContain(String.raw`"a\u202e"`);
    expect(JSON.parse(text)).toEqual(values);
  });
});

describe('environments', () => {
  const deployment = (environment: string, status: Deployment['status']) =>
    ({ environment, status }) as Deployment;

  test('are production, the draft, and those with an active deployment', () => {
    expect(environmentsOf()).toEqual(['production', 'draft']);
    expect(
      environmentsOf([
        deployment('staging', 'superseded'),
        deployment('staging', 'active'),
        deployment('canary', 'active'),
        deployment('gone', 'rolled_back'),
        deployment('production', 'active'),
        // By an earlier release.
        deployment('draft', 'active'),
      ]),
    ).toEqual(['production', 'draft', 'canary', 'staging']);
  });
});

test('a version changes of the draft only what the API can change and what differs', () => {
  const draft = { model: 'a/b', temperature: 1, instructions: 'Be kind.', settings: {} };
  const settings = { timeout: '5s' };
  expect(loadedDraft(draft, { ...draft, settings })).toEqual({});
  const deployed = { ...draft, model: 'c/d', instructions: '', settings };
  expect(loadedDraft(draft, deployed)).toEqual({ model: 'c/d', instructions: '' });
});

describe('a comparison', () => {
  test.each([
    ['', ['production', 'draft']],
    ['environment=draft', ['draft', 'production']],
    ['environment=staging&compare=production', ['staging', 'production']],
    ['environment=draft&compare=draft', ['draft', 'production']],
    ['compare=production', ['production', 'draft']],
  ])('at the address ?%s is of two environments', (query, pair) => {
    expect(pairOf(new URLSearchParams(query))).toEqual(pair);
  });

  test('exchanges its sides instead of asking one environment twice', () => {
    const pair = ['production', 'draft'] as const;
    expect(replaceIn(pair, 0, 'draft')).toEqual(['draft', 'production']);
    expect(replaceIn(pair, 1, 'production')).toEqual(['draft', 'production']);
    expect(replaceIn(pair, 1, 'staging')).toEqual(['production', 'staging']);
    expect(replaceIn(pair, 0, 'staging')).toEqual(['staging', 'draft']);
  });

  test('is at an address that leads to it again', () => {
    const pair = ['staging', 'production'] as const;
    expect(pairOf(new URLSearchParams(queryOf(pair)))).toEqual(pair);
    // The chat has production without a parameter.
    expect(queryOf(['production', 'draft'])).toEqual({ environment: '', compare: 'draft' });
  });

  test('asks outside of any session, and so that nothing is remembered', () => {
    const question = { message: 'Hi', environment: 'production' };
    expect(requestOf({ ...question, user: '' })).toEqual({
      ...question,
      context: { remember: false },
    });
    expect(requestOf({ ...question, user: 'ann' }).context).toEqual({
      remember: false,
      user_id: 'ann',
    });
  });

  test('says what came of both answers once both have ended', () => {
    const request = (environment: string) => ({ message: 'Hi', environment });
    const paused: Answer = { request: request('draft'), state: 'done', approval: {} };
    const failed: Answer = { request: request('staging'), state: 'failed', approval: undefined };
    expect(statusOf({ ...paused, approval: undefined })).toBe('completed');
    expect(summaryOf([paused, failed])).toBe('draft: requires approval, staging: failed');
    expect(summaryOf([paused, { ...failed, state: 'running' }])).toBe('');
  });
});
