/** The operator lists and cancels asynchronous invocations that wait or run. */
import { describe, expect, test } from '@jest/globals';
import { eventually } from '../helpers/eventually.js';
import { whileFailing } from '../helpers/database/failing-table.js';
import { useFixture } from '../helpers/service/fixture.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { insertWebhook } from '../helpers/database/rows.js';
import { hang } from '../helpers/model-provider/failures.js';
import { answerLater, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import {
  countsOf,
  recordsOnceFinished,
  message,
  recordsOf,
  useServiceWithModel,
} from './service-with-model.js';

// The first instance runs no asynchronous invocations, so they run on the other one.
const fixture = useServiceWithModel({ ASYNC_CONCURRENCY: '0' });
useFixture(() => fixture.service.another({ ASYNC_CONCURRENCY: '50' }));

/** The account and its name, which the operator passes with --account. */
const account = useFixture(async () =>
  fixture.service.database.prisma.account.findUniqueOrThrow({
    where: { id: fixture.tenant.accountId },
  }),
);

const operator = () => operatorInProcess(fixture.service);
const cancel = (id: string) =>
  operator().run(['invocations', 'cancel', id, '--json', '--account', account.name]);

const later = (key: string) => ({ prefer: 'respond-async', 'idempotency-key': key });

async function accept(agentId: string, text: string, context: object = {}): Promise<string> {
  const path = { agent_id: agentId };
  const call = { path, body: { message: text, context }, headers: later(`${agentId}-${text}`) };
  const { data } = await fixture.tenant.api.expect('invokeAgent', 202, call);
  return data.request_id;
}

async function agentWithWebhook(): Promise<string> {
  const { id } = await fixture.newAgent();
  const { database } = fixture.service;
  const webhook = await insertWebhook(database, fixture.tenant.accountId, id);
  const events = ['agent.completed', 'agent.failed'];
  await database.prisma.webhook.update({ where: { id: webhook }, data: { events } });
  return id;
}

const failure = {
  code: 'cancelled',
  message: expect.stringMatching(/^The invocation was cancelled/),
};

describe('operator invocations cancel', () => {
  test('stops a running one on another instance, and records the cancellation', async () => {
    fixture.provider.behave(hang);
    const id = await agentWithWebhook();
    const requestId = await accept(id, 'Hi', { user_id: 'ada', session_id: 'chat', plan: 'gold' });
    await fixture.provider.asked(1);
    const { code, stdout } = await cancel(requestId);
    expect({ code, result: JSON.parse(stdout) as unknown }).toEqual({
      code: 0,
      result: { id: requestId, cancelled: true, was: 'running' },
    });
    const traces = await recordsOf(fixture.service, requestId);
    expect(traces.invocation).toMatchObject({
      status: 'failed',
      errorCode: 'cancelled',
      message: null,
      leaseOwner: null,
      availableAt: null,
    });
    expect(traces.memory).toEqual([]);
    expect(traces.logs.map(({ level, message: text }) => [level, text])).toEqual([
      [
        'warn',
        expect.stringMatching(/^Invocation failed after \d+ ms: the operator cancelled it$/),
      ],
    ]);
    expect(traces.events).toMatchObject([
      { type: 'agent.failed', body: { data: { request_id: requestId, error: failure } } },
    ]);
    expect(await countsOf(fixture.service, id)).toMatchObject({ invocations: 1, failures: 1 });
    const call = message(id, 'Hi', { headers: later(`${id}-Hi`) });
    const context = { user_id: 'ada', session_id: 'chat', plan: 'gold' };
    const body = { message: 'Hi', context };
    const repeat = await fixture.tenant.api.call('invokeAgent', { ...call, body });
    expect(repeat).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
    // The connection to the provider is closed, and its session is free.
    await fixture.provider.received[0]?.closed;
    expect(fixture.provider.received[0]?.wasAborted()).toBe(true);
    await eventually(async () => {
      expect(await fixture.service.database.prisma.sessionLease.count()).toBe(0);
    });
    expect(await recordsOf(fixture.service, requestId)).toEqual(traces);
  });

  test('ends a waiting one before it runs, and the next one of its session runs', async () => {
    const held = answerLater(chatCompletions, ['Yes']);
    fixture.provider.behave(held.reply);
    const { id } = await fixture.newAgent();
    const first = await accept(id, 'First', { session_id: 'chat' });
    await fixture.provider.asked(1);
    const second = await accept(id, 'Second', { session_id: 'chat' });
    const third = await accept(id, 'Third', { session_id: 'chat' });
    expect(JSON.parse((await cancel(second)).stdout)).toMatchObject({ was: 'queued' });
    held.finish();
    const traces = await Promise.all(
      [first, second, third].map((one) => recordsOnceFinished(fixture.service, one)),
    );
    expect(traces.map(({ invocation }) => invocation?.errorCode)).toEqual([
      null,
      'cancelled',
      null,
    ]);
    expect(traces[1]?.invocation).toMatchObject({ message: null, attempts: 0 });
    expect(traces[2]?.memory.map(({ content }) => content)).toEqual(['Third', 'Yes']);
    expect(fixture.provider.received).toHaveLength(2);
  });

  test('races with completion: one of them wins, and the command says which', async () => {
    const id = await agentWithWebhook();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const requestId = await accept(id, `Message-${index}`);
        const { code, stderr } = await cancel(requestId);
        const { invocation, events, memory, logs } = await recordsOnceFinished(
          fixture.service,
          requestId,
        );
        const isCancelled = invocation?.errorCode === 'cancelled';
        expect(code).toBe(isCancelled ? 0 : 5);
        if (!isCancelled) expect(stderr).toContain('has already ended: it succeeded at 20');
        expect(memory).toHaveLength(isCancelled ? 0 : 2);
        expect(events.map(({ type }) => type)).toEqual([
          isCancelled ? 'agent.failed' : 'agent.completed',
        ]);
        expect(logs.filter(({ message: text }) => /answered|failed/.test(text))).toHaveLength(1);
        return isCancelled;
      }),
    );
    const failures = outcomes.filter((isCancelled) => isCancelled).length;
    expect(await countsOf(fixture.service, id)).toMatchObject({ invocations: 20, failures });
  });

  test('is rejected for ended, unknown and foreign invocations', async () => {
    const { id } = await fixture.newAgent();
    const requestId = await accept(id, 'Hi');
    await recordsOnceFinished(fixture.service, requestId);
    expect((await cancel(requestId)).stderr).toMatch(
      /has already ended: it succeeded at \S+Z\. Nothing/,
    );
    const { headers } = await fixture.tenant.api.call('invokeAgent', message(id, 'Now'));
    const synchronous = await cancel(headers.get('x-request-id') ?? '');
    expect(synchronous.stderr).toContain('has already ended');
    const unknown = await cancel('req_01m6dqs9m0fsw90fq1accfsmnf');
    expect(unknown).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('There is no async'),
    });
    const stranger = await fixture.service.tenant();
    const theirs = await fixture.service.database.prisma.account.findUniqueOrThrow({
      where: { id: stranger.accountId },
    });
    fixture.provider.behave(hang);
    const running = await accept(id, 'Mine');
    await fixture.provider.asked(1);
    const args = ['invocations', 'cancel', running, '--account', theirs.name];
    expect((await operator().run(args)).stderr).toContain('There is no asynchronous invocation');
    expect((await cancel(running)).code).toBe(0);
  });

  test('is atomic: if its log cannot be written, nothing is cancelled', async () => {
    const held = answerLater(chatCompletions, ['Yes']);
    fixture.provider.behave(held.reply);
    const { id } = await fixture.newAgent();
    const requestId = await accept(id, 'Hi');
    await fixture.provider.asked(1);
    const { code } = await whileFailing(
      fixture.service.database,
      'log_entries',
      { code: '53100' },
      () => cancel(requestId),
    );
    expect(code).toBe(6);
    held.finish();
    const { invocation } = await recordsOnceFinished(fixture.service, requestId);
    expect(invocation).toMatchObject({ status: 'succeeded', attempts: 1 });
  });
});

describe('operator invocations list', () => {
  test('shows waiting and running invocations, by agent or status', async () => {
    fixture.provider.behave(hang);
    const { id, name } = await fixture.newAgent();
    const other = await fixture.newAgent();
    const running = await accept(id, 'First', { session_id: 'chat', user_id: 'ada' });
    await fixture.provider.asked(1);
    const queued = await accept(id, 'Second', { session_id: 'chat', user_id: 'ada' });
    const elsewhere = await accept(other.id, 'Third');
    await fixture.provider.asked(2);
    const list = (...options: string[]) =>
      operator().json('invocations', 'list', '--account', account.name, ...options);
    const row = { agent: name, account: account.name, user_id: 'ada' };
    const since = expect.stringMatching(/^\d{4}-.*Z$/);
    const first = { ...row, id: running, status: 'running', since, attempts: 1 };
    const second = { ...row, id: queued, status: 'queued', since, attempts: 0 };
    expect(await list('--agent', name)).toEqual([first, second]);
    expect(await list('--agent', name, '--status', 'queued')).toEqual([second]);
    expect(await list()).toMatchObject([{ id: running }, { id: queued }, { id: elsewhere }]);
    expect(await list('--limit', '1')).toHaveLength(1);
    const args = ['invocations', 'list', '--account', account.name, '--agent', name];
    expect((await operator().run(args)).stdout).toMatch(
      /^ID +AGENT +ACCOUNT +STATUS +SINCE +ATTEMPTS +USER\nreq_\S+ +\S+ +\S+ +running +\S+ \S+Z +1 +ada\n/,
    );
    for (const one of [queued, running, elsewhere]) expect((await cancel(one)).code).toBe(0);
    expect(await list()).toEqual([]);
  });
});
