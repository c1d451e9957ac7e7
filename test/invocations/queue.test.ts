/** The queue of asynchronous invocations: order, limits and abandoned invocations. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { Call } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { answer, answerLater, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import {
  recordsOnceFinished,
  message,
  messageIn,
  useServiceWithModel,
} from './service-with-model.js';

// Accepted invocations wait until a test starts an instance that runs them.
const fixture = useServiceWithModel({ ASYNC_CONCURRENCY: '0' });

async function accept(call: Call): Promise<string> {
  const headers = { prefer: 'respond-async' };
  const { data } = await fixture.tenant.api.expect('invokeAgent', 202, { ...call, headers });
  return data.request_id;
}

const startWorker = () => fixture.service.another({ ASYNC_CONCURRENCY: '2' });

describe('the queue', () => {
  test('keeps the messages of a session in order, whichever workers run them', async () => {
    const { id } = await fixture.tenant.newAgent();
    const texts = Array.from({ length: 12 }, (_, index) => `Message ${index}`);
    const requests: string[] = [];
    for (const text of texts) requests.push(await accept(messageIn('chat', id, text)));
    const workers = await Promise.all([startWorker(), startWorker()]);
    for (const request of requests) await recordsOnceFinished(fixture.service, request);
    const entries = await fixture.service.database.prisma.memoryEntry.findMany({
      where: { agentId: id, role: 'user' },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    expect(entries.map(({ content }) => content)).toEqual(texts);
    await workers[1].stop();
  });

  test('runs at most the configured number at a time', async () => {
    let arrived = 0;
    let now = 0;
    let most = 0;
    fixture.provider.behave(async (res) => {
      arrived += 1;
      now += 1;
      most = Math.max(most, now);
      const evenNumber = arrived + (arrived % 2);
      await eventually(() => {
        expect(arrived).toBeGreaterThanOrEqual(evenNumber);
      });
      // Long enough for a third one to show up.
      await delay(50);
      now -= 1;
      answer(chatCompletions, ['Yes'])(res);
    });
    const { id } = await fixture.newAgent();
    const requests: string[] = [];
    for (let count = 0; count < 6; count += 1) requests.push(await accept(message(id, 'Hi')));
    for (const request of requests) {
      expect((await recordsOnceFinished(fixture.service, request)).invocation?.status).toBe(
        'succeeded',
      );
    }
    expect(most).toBe(2);
  });

  test('abandons an invocation after its worker died ten times', async () => {
    const { id } = await fixture.newAgent();
    const { prisma } = fixture.service.database;
    const requestId = 'req_01m6dsg7e0eha8ks12y199e68y';
    await prisma.invocation.create({
      data: {
        id: requestId,
        agentId: id,
        accountId: fixture.tenant.accountId,
        status: 'running',
        message: 'Poison',
        attempts: 10,
        leaseOwner: 'a worker that died',
        availableAt: new Date(Date.now() - 1_000),
      },
    });
    fixture.provider.behave(answer(chatCompletions, ['No']));
    const traces = await recordsOnceFinished(fixture.service, requestId);
    expect(traces.invocation).toMatchObject({ status: 'failed', errorCode: 'server_error' });
    expect(traces.logs.at(-1)?.message).toMatch(/its worker crashed 10 times$/);
    expect(fixture.provider.received).toHaveLength(0);
  });

  test('does not count waiting for a session as an attempt', async () => {
    const { id } = await fixture.newAgent();
    const first = answerLater(chatCompletions, ['First']);
    fixture.provider.behave(first.reply, answer(chatCompletions, ['Second']));
    const earlier = fixture.tenant.api.expect('invokeAgent', 200, messageIn('chat', id, 'One'));
    await fixture.provider.asked(1);
    const requestId = await accept(messageIn('chat', id, 'Two'));
    const { prisma } = fixture.service.database;
    const waiting = await eventually(async () => {
      const found = await prisma.invocation.findFirstOrThrow({ where: { id: requestId } });
      expect(found.status).toBe('running');
      return found;
    });
    expect(waiting.attempts).toBe(0);
    first.finish();
    await earlier;
    expect((await recordsOnceFinished(fixture.service, requestId)).invocation?.attempts).toBe(1);
  });

  test('records nothing for an invocation that another worker took over', async () => {
    const { id } = await fixture.newAgent();
    const { prisma } = fixture.service.database;
    fixture.provider.behave(
      async (res) => {
        await prisma.invocation.updateMany({
          where: { agentId: id },
          data: { leaseOwner: 'a quicker worker', availableAt: new Date(Date.now() + 500) },
        });
        answer(chatCompletions, ['Too late'])(res);
      },
      answer(chatCompletions, ['In time']),
    );
    const traces = await recordsOnceFinished(fixture.service, await accept(message(id, 'Hi')));
    expect(traces.memory.map(({ content }) => content)).toEqual(['Hi', 'In time']);
    expect(traces.invocation?.attempts).toBe(2);
    expect(fixture.provider.received).toHaveLength(2);
  });
});
