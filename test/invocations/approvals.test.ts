/** Tool calls that wait for approval: nothing is called before a person has decided, and what is approved is called exactly once. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { ErrorResponse } from '../../generated/api.js';
import { apiClient } from '../helpers/service/api.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { eventually } from '../helpers/eventually.js';
import { answerLater, callTools, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import {
  approved,
  ask,
  idempotent,
  type Resumption,
  resume,
  said,
  useCarefulAgents,
} from './careful-agents.js';
import { streamed } from './event-reader.js';
import { message, recordsOf, recordsOnceFinished } from './service-with-model.js';
import { refund } from './tool-fixtures.js';

const {
  fixture,
  shop,
  newRefundAgent,
  newCarefulAgent,
  pausedAgent,
  results,
  lastMessages,
  stepsOf,
  accountName,
} = useCarefulAgents();

describe('a call that needs approval', () => {
  test('is shown exactly as it will be sent, and not made', async () => {
    const { agent, paused } = await pausedAgent();
    expect(paused).toMatchObject({
      status: 'requires_approval',
      response: '',
      approvals: [
        {
          call_id: 'call_1',
          tool: 'refund',
          arguments: { order_id: '7', reason: 'It is blue.' },
          approver: 'caller',
        },
      ],
    });
    expect(paused.finish_reason).toBeUndefined();
    const until = Date.parse(paused.approvals?.[0]?.expires_at ?? '') - Date.now();
    expect(until / 3_600_000).toBeCloseTo(24, 1);
    expect(shop.received).toEqual([]);
    const { logs, memory } = await recordsOf(fixture.service, paused.request_id);
    expect(logs.at(-1)?.message).toMatch(/^Invocation waits for approval after \d+ ms: refund$/);
    expect(memory).toEqual([]);
    expect(agent.id).toMatch(/^agent_/);
  });

  test('is made once it is approved, with the arguments that were shown', async () => {
    const { agent, paused } = await pausedAgent();
    const { data } = await fixture.tenant.api.expect(
      'invokeAgent',
      200,
      resume(agent, paused.request_id),
    );
    expect(data).toMatchObject({ status: 'completed', response: 'It is refunded.' });
    expect(data.request_id).not.toBe(paused.request_id);
    expect(shop.received).toMatchObject([
      { url: '/orders/7/refund', body: '{"reason":"It is blue."}' },
    ]);
    expect(shop.keys).toEqual([`${data.request_id}.call_1`]);
    expect(results()).toEqual([expect.stringContaining('refunded')]);
    const messages = lastMessages();
    expect(messages[0]?.content).toBe('Refund order 7.');
    expect(messages.at(-1)?.content).toBe('Go ahead.');
    expect(await stepsOf(paused.request_id)).toBe(0);
    expect(await stepsOf(data.request_id)).toBe(0);
  });

  test('is not made if it is rejected, and the model learns why', async () => {
    const { agent, paused } = await pausedAgent();
    fixture.provider.behave(said('As you like.'));
    const decisions = [{ call_id: 'call_1', decision: 'reject' as const, note: 'Over the limit' }];
    const call = resume(agent, paused.request_id, { decisions });
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, call);
    expect(data.response).toBe('As you like.');
    expect(shop.received).toEqual([]);
    expect(results()).toEqual(['Not called: a person rejected it: Over the limit']);
  });

  test('holds back the other calls of its reply', async () => {
    const agent = await newCarefulAgent();
    const both = callTools([
      { name: 'price', arguments: { article: 'bicycle' } },
      { name: 'refund', arguments: { order_id: '7', reason: 'Blue.' } },
    ]);
    fixture.provider.behave(both, said('Done.'));
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, ask(agent));
    expect(shop.received).toEqual([]);
    expect(data.approvals?.map(({ call_id }) => call_id)).toEqual(['call_2']);
    const decisions = [{ call_id: 'call_2', decision: 'approve' as const }];
    await fixture.tenant.api.expect(
      'invokeAgent',
      200,
      resume(agent, data.request_id, { decisions }),
    );
    expect(shop.received.map(({ method }) => method).sort()).toEqual(['GET', 'POST']);
  });

  test('does not wait if its arguments are invalid', async () => {
    const agent = await newCarefulAgent();
    fixture.provider.behave(
      callTools([{ name: 'refund', arguments: { order_id: 7 } }]),
      said('Sorry.'),
    );
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, ask(agent));
    expect(data).toMatchObject({ status: 'completed', response: 'Sorry.' });
  });

  test('can wait again after a decision', async () => {
    const { agent, paused } = await pausedAgent();
    fixture.provider.behave(refund, said('Both are refunded.'));
    const again = await fixture.tenant.api.expect(
      'invokeAgent',
      200,
      resume(agent, paused.request_id),
    );
    expect(again.data.approvals?.map(({ call_id }) => call_id)).toEqual(['call_2']);
    const decisions = [{ call_id: 'call_2', decision: 'approve' as const }];
    const { data } = await fixture.tenant.api.expect(
      'invokeAgent',
      200,
      resume(agent, again.data.request_id, { decisions }),
    );
    expect(data.response).toBe('Both are refunded.');
    expect(shop.received).toHaveLength(2);
  });

  test('is made with the configuration that the run began with', async () => {
    const { agent, paused } = await pausedAgent({ settings: { instructions: 'Be kind.' } });
    await fixture.tenant.api.expect('updateAgent', 200, {
      path: { agent_id: agent.name },
      body: { instructions: 'Be harsh.' },
    });
    await fixture.tenant.api.expect('invokeAgent', 200, resume(agent, paused.request_id));
    const messages = lastMessages();
    expect(messages[0]?.content).toBe('Be kind.');
  });
});

describe('a decision', () => {
  const refusals: [string, Resumption, number, RegExp][] = [
    [
      'on an unknown call',
      { decisions: [{ call_id: 'call_9', decision: 'approve' }] },
      400,
      /call_9/,
    ],
    [
      'twice on a call',
      { decisions: [...approved, { call_id: 'call_1', decision: 'reject' }] },
      400,
      /call_1 is decided twice/,
    ],
    ['for another user', { context: { user_id: 'eve' } }, 403, /own user and session/],
    ['for another session', { context: { session_id: 'other' } }, 403, /own user and session/],
  ];

  test.each(refusals)('%s is refused, and changes nothing', async (_, resumption, status, text) => {
    const context = { user_id: 'ada', session_id: 's1' };
    const { agent, paused } = await pausedAgent({ context });
    const call = resume(agent, paused.request_id, resumption);
    const { body } = await fixture.tenant.api
      .expect('invokeAgent', status as 400, call)
      .then((refused) => ({ body: refused }));
    expect(JSON.stringify(body)).toMatch(text);
    expect(shop.received).toEqual([]);
    await fixture.tenant.api.expect('invokeAgent', 200, resume(agent, paused.request_id));
    expect(shop.received).toHaveLength(1);
  });

  test('needs the permission of its approver', async () => {
    const { agent, paused } = await pausedAgent({ approver: 'manage' });
    const { key } = await fixture.tenant.newKey({ permissions: ['read', 'write'] });
    const api = apiClient(fixture.service.url, key);
    const { error } = await api.expect('invokeAgent', 403, resume(agent, paused.request_id));
    expect(error.message).toContain("'manage'");
    await fixture.tenant.api.expect('invokeAgent', 200, resume(agent, paused.request_id));
    expect(shop.received).toHaveLength(1);
  });

  test('counts once, however many are sent at the same time', async () => {
    const { agent, paused } = await pausedAgent();
    const other = await fixture.service.another();
    const apis = [fixture.tenant.api, apiClient(other.url, fixture.tenant.key)];
    const replies = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const api = apis[index % 2] ?? fixture.tenant.api;
        return api.call('invokeAgent', resume(agent, paused.request_id));
      }),
    );
    await other.stop();
    expect(replies.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array<number>(7).fill(409),
    ]);
    const refused = replies.filter(({ status }) => status === 409).map(({ body }) => body);
    const texts = refused.map((body) => (body as ErrorResponse).error.message);
    expect(new Set(texts)).toEqual(new Set(['The calls of this invocation were already decided.']));
    expect(shop.received).toHaveLength(1);
  });

  test('does not count if the account may not run it now', async () => {
    const waiting = [await pausedAgent(), await pausedAgent(), await pausedAgent()];
    const name = await accountName();
    const setCap = async (cap: string) => {
      const command = ['accounts', 'set-cap', name, 'concurrentInvocations', cap];
      expect(await operatorInProcess(fixture.service).run(command)).toMatchObject({ code: 0 });
      await delay(1_500);
    };
    await setCap('1');
    const held = answerLater(chatCompletions, ['It is refunded.']);
    fixture.provider.behave(held.reply);
    const refused: string[] = [];
    const replies = waiting.map(async ({ agent, paused }) => {
      const call = resume(agent, paused.request_id);
      const { status } = await fixture.tenant.api.call('invokeAgent', call);
      if (status === 429) refused.push(paused.request_id);
      return status;
    });
    await eventually(() => {
      expect(refused).toHaveLength(2);
    });
    held.finish();
    expect((await Promise.all(replies)).sort()).toEqual([200, 429, 429]);
    const where = { requestId: { in: refused } };
    expect(await fixture.service.database.prisma.pausedRun.count({ where })).toBe(2);
    expect(shop.received).toHaveLength(1);
    await setCap('default');
  });

  test('is repeated with its Idempotency-Key without a second effect', async () => {
    const { agent, paused } = await pausedAgent();
    const call = resume(agent, paused.request_id, { headers: idempotent() });
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, call);
    const repeat = await fixture.tenant.api.expect('invokeAgent', 200, call);
    expect(repeat.data).toEqual(data);
    expect(shop.received).toHaveLength(1);
  });

  test('can be made asynchronously', async () => {
    const { agent, paused } = await pausedAgent();
    const headers = { ...idempotent(), prefer: 'respond-async' };
    const call = resume(agent, paused.request_id, { headers });
    const { data } = await fixture.tenant.api.expect('invokeAgent', 202, call);
    const again = resume(agent, paused.request_id, { headers: { prefer: 'respond-async' } });
    await fixture.tenant.api.expect('invokeAgent', 409, again);
    const { invocation } = await recordsOnceFinished(fixture.service, data.request_id);
    expect(invocation).toMatchObject({ status: 'succeeded' });
    const { data: result } = await fixture.tenant.api.expect('invokeAgent', 200, call);
    expect(result).toMatchObject({ response: 'It is refunded.', request_id: data.request_id });
    expect(shop.received).toHaveLength(1);
  });

  test('can be streamed', async () => {
    const { agent, paused } = await pausedAgent();
    const { events } = await streamed(
      fixture.service.url,
      fixture.tenant.key,
      resume(agent, paused.request_id, { headers: idempotent() }),
    );
    expect(events.map(({ event }) => event)).toEqual(['tool', 'tool', 'delta', 'done']);
  });

  test('comes too late once the time is up: the run has failed', async () => {
    const { agent, paused } = await pausedAgent();
    const { database } = fixture.service;
    await database.prisma.pausedRun.updateMany({
      where: { requestId: paused.request_id },
      data: { expiresAt: new Date(0) },
    });
    await fixture.tenant.api.expect('invokeAgent', 409, resume(agent, paused.request_id));
    await eventually(async () => {
      const { invocation, logs } = await recordsOf(fixture.service, paused.request_id);
      expect(invocation).toMatchObject({ status: 'failed', errorCode: 'timeout' });
      expect(logs.at(-1)?.message).toContain('were not approved in time');
    }, 30_000);
    expect(await stepsOf(paused.request_id)).toBe(0);
    expect(shop.received).toEqual([]);
  }, 60_000);
});

test('nothing of this concerns an agent without approvals', async () => {
  const agent = await newRefundAgent();
  fixture.provider.behave(refund, said('Done.'));
  const { data } = await fixture.tenant.api.expect(
    'invokeAgent',
    200,
    message(agent.name, 'Refund.'),
  );
  expect(data).toMatchObject({ status: 'completed', finish_reason: 'stop' });
  expect(data.approvals).toBeUndefined();
  expect(await stepsOf(data.request_id)).toBe(0);
});
