/** Stored steps: what is read back of a run, and which runs' steps are deleted by age. */
import { describe, expect, test } from '@jest/globals';
import { committedRun, type RunStep, StepLog } from '../../server/invocations/steps.js';
import { pruneSteps } from '../../server/invocations/steps.sql.js';
import { newId } from '../../server/lib/data/typeid.js';
import { useServiceWithModel } from './service-with-model.js';

const fixture = useServiceWithModel();

const agent = {
  deploymentId: null,
  model: 'local/llama3.2',
  temperature: null,
  instructions: '',
  timeoutMs: 1_000,
  historyLimit: 0,
  endpoint: null,
  options: {},
};
const began: RunStep = {
  type: 'began',
  message: 'Refund both.',
  context: null,
  environment: null,
  userId: null,
  sessionId: null,
  agent,
};
const call = (number: number) => ({
  id: `call_${number}`,
  call: { id: `c${number}`, name: 'refund', arguments: {} },
});
const replied = (text: string, calls: ReturnType<typeof call>[], elapsedMs = 5): RunStep => ({
  type: 'replied',
  reply: [{ role: 'assistant' }],
  text,
  calls,
  tokensUsed: 10 * elapsedMs,
  usage: { inputTokens: elapsedMs },
  elapsedMs,
});
const ended = (number: number): RunStep => ({
  type: 'ended',
  id: `call_${number}`,
  succeeded: true,
  text: `Result ${number}`,
  durationMs: 3,
});
const begun: RunStep = { type: 'begun' };

describe('a run is read back', () => {
  test('with the results of its calls, and what is open', () => {
    const steps = [
      began,
      replied('One.', [call(1)]),
      begun,
      ended(1),
      replied('Two.', [call(2), call(3)], 9),
      begun,
      ended(3),
    ];
    const run = committedRun(steps);
    expect(run).toMatchObject({ message: 'Refund both.', callsBefore: 3, elapsedMs: 9, length: 7 });
    expect(run?.conversation).toMatchObject({
      calls: 2,
      texts: ['One.', 'Two.'],
      tokensUsed: 90,
      steps: [{ results: [{ succeeded: true, text: 'Result 1' }] }],
      requested: { isBegun: true },
    });
    expect([...(run?.conversation.requested?.results.keys() ?? [])]).toEqual(['call_3']);
    expect(run?.ended.map((calls) => calls.map(({ id }) => id))).toEqual([['call_1'], ['call_3']]);
  });

  test('after a decision, with its own counts from the beginning', () => {
    const decisions = { call_1: { decision: 'approve' as const } };
    const steps = [
      began,
      replied('Shall I?', [call(1)]),
      { type: 'paused' as const, approvals: [] },
      { type: 'decided' as const, message: 'Yes.', context: null, decisions },
    ];
    const run = committedRun(steps);
    expect(run?.conversation).toMatchObject({ texts: [], tokensUsed: 0, calls: 1 });
    expect(run?.conversation.requested).toMatchObject({ isBegun: false, said: 'Yes.' });
    expect(run?.earlier).toEqual({ messages: ['Refund both.', 'Yes.'], texts: ['Shall I?'] });
    expect(run?.elapsedMs).toBe(0);
  });

  test('not at all without steps', () => {
    expect(committedRun([])).toBeUndefined();
  });
});

test('the log of steps forgets what is written, and numbers on', () => {
  const log = new StepLog(4);
  log.add(begun);
  const first = log.unwritten();
  log.add(ended(1));
  log.written(first);
  expect(log.unwritten().map(({ position }) => position)).toEqual([5]);
  log.dropLast();
  expect(log.unwritten()).toEqual([]);
  log.add(ended(2));
  expect(log.unwritten().map(({ position }) => position)).toEqual([5]);
});

test('steps are deleted once nobody can go on with their run', async () => {
  const { database } = fixture.service;
  const { accountId } = fixture.tenant;
  const { id: agentId } = await fixture.newAgent();
  const [old, recent] = [new Date('2026-01-01'), new Date()];
  const before = new Date('2026-01-02');
  const newRun = async (...times: Date[]) => {
    const requestId = newId('req');
    await database.prisma.runStep.createMany({
      data: times.map((createdAt, position) => ({
        ...{ accountId, agentId, requestId, position, createdAt },
        sealedData: Buffer.from('sealed'),
      })),
    });
    return requestId;
  };
  const abandoned = await newRun(old, old);
  const goesOn = await newRun(old, recent);
  const waits = await newRun(old);
  await database.prisma.pausedRun.create({
    data: { accountId, agentId, requestId: waits, expiresAt: recent },
    select: { requestId: true },
  });
  const queued = await newRun(old);
  await database.prisma.invocation.createMany({
    data: [
      {
        accountId,
        agentId,
        id: queued,
        status: 'queued',
        message: 'Later.',
        availableAt: new Date('2100-01-01'),
      },
    ],
  });
  expect(await pruneSteps(database, before)).toBe(2);
  const left = await database.prisma.runStep.findMany({ distinct: ['requestId'] });
  expect(left.map(({ requestId }) => requestId).sort()).toEqual([goesOn, waits, queued].sort());
  expect(left.map(({ requestId }) => requestId)).not.toContain(abandoned);
});
