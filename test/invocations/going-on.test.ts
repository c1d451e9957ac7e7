/** An instance that dies or stops after a tool call: a repeat of the request, or another worker, goes on with its run. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { type Call, send } from '../helpers/service/api.js';
import type { ErrorResponse } from '../../generated/api.js';
import { eventually } from '../helpers/eventually.js';
import type { Behaviour } from '../helpers/model-provider/received.js';
import type { WantedCall } from '../helpers/model-provider/reply.js';
import {
  answer,
  answerLater,
  callTools,
  chatCompletions,
} from '../helpers/model-provider/wire-formats.js';
import { effectsOn, message } from './service-with-model.js';
import { refund, type RefundAgent, useToolFixtures } from './tool-fixtures.js';

const { fixture, shop, newRefundAgent, newToolAgent, results } = useToolFixtures();

type AgentName = Pick<RefundAgent, 'name'>;

const keyed = ({ name }: AgentName, headers: Record<string, string> = {}): Call =>
  message(name, 'Refund order 7.', { headers: { 'idempotency-key': randomUUID(), ...headers } });

const conversation = (...then: Behaviour[]) => {
  fixture.provider.behave(refund, ...then);
};

describe('an instance that seems to be dead after a tool call', () => {
  const expireLease = () =>
    fixture.service.database.prisma.idempotencyRecord.updateMany({
      where: { state: 'running' },
      data: { leaseUntil: new Date(0) },
    });

  /** Takes the run over: until its lease expires, the repeat gets a 409. */
  const takeOver = (call: Call) =>
    eventually(async () => {
      await expireLease();
      return fixture.tenant.api.expect('invokeAgent', 200, call);
    });

  /** The result of the refund is stored, so that nobody makes it again. */
  const untilRefunded = ({ id: agentId }: RefundAgent) =>
    eventually(async () => {
      await fixture.service.database.prisma.logEntry.findFirstOrThrow({
        where: { agentId, message: { startsWith: 'Tool refund succeeded' } },
      });
    });

  /** The refund has been made, and the model thinks about it. */
  async function beginRefund(...then: Behaviour[]) {
    conversation(...then);
    const agent = await newRefundAgent();
    const call = keyed(agent);
    const first = fixture.tenant.api.call('invokeAgent', call);
    await fixture.provider.asked(2);
    await untilRefunded(agent);
    return { agent, call, first };
  }

  test('and ends its run after all, has no effect: a repeat goes on with the run, and its answer counts', async () => {
    const held = answerLater(chatCompletions, ['Too late.']);
    const { agent, call, first } = await beginRefund(
      held.reply,
      answer(chatCompletions, ['Done.']),
    );
    const { data } = await takeOver(call);
    expect(data.response).toBe('Done.');
    expect(results()).toEqual([expect.stringContaining('"refunded":true')]);
    held.finish();
    const { status: late, headers } = await first;
    expect(late).toBe(409);
    expect(headers.get('x-request-id')).toBe(data.request_id);
    expect(await fixture.tenant.api.expect('invokeAgent', 200, call)).toMatchObject({ data });
    expect(shop.received).toHaveLength(1);
    expect(fixture.provider.received).toHaveLength(3);
    expect(await effectsOn(fixture.service, agent.id)).toEqual({ invocations: 1, memories: 2 });
  });

  test('lets a repeat that prefers an asynchronous answer go on with its run, too', async () => {
    const held = answerLater(chatCompletions, ['Too late.']);
    const { agent, call, first } = await beginRefund(
      held.reply,
      answer(chatCompletions, ['Done.']),
    );
    const repeat = { ...call, headers: { ...call.headers, prefer: 'respond-async' } };
    const { data } = await takeOver(repeat);
    expect(data.response).toBe('Done.');
    held.finish();
    expect((await first).headers.get('x-request-id')).toBe(data.request_id);
    expect(shop.received).toHaveLength(1);
    expect(await effectsOn(fixture.service, agent.id)).toEqual({ invocations: 1, memories: 2 });
  });

  test('and whose steps are gone, lets no repeat start over', async () => {
    const held = answerLater(chatCompletions, ['Too late.']);
    const { agent, call, first } = await beginRefund(
      held.reply,
      refund,
      answer(chatCompletions, ['Done.']),
    );
    await fixture.service.database.prisma.runStep.deleteMany({ where: { agentId: agent.id } });
    const refused = await eventually(async () => {
      await expireLease();
      return fixture.tenant.api.expect('invokeAgent', 503, call);
    });
    expect(refused.error).toMatchObject({
      retryable: false,
      message: expect.stringContaining('had called tools'),
    });
    held.finish();
    await first;
    const again = await fixture.tenant.api.call('invokeAgent', call);
    expect(again).toMatchObject({ status: 503, body: { error: refused.error } });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(shop.received).toHaveLength(1);
  });

  test('calls no further tool once a repeat goes on with its run', async () => {
    const agent = await newRefundAgent();
    const second: Behaviour[] = [];
    const asked = new Promise<() => void>((resolve) => {
      second.push((res) => {
        resolve(() => {
          refund(res);
        });
      });
    });
    conversation(...second, answer(chatCompletions, ['Done.']));
    const call = keyed(agent);
    const first = fixture.tenant.api.call('invokeAgent', call);
    const goOn = await asked;
    await untilRefunded(agent);
    const { data } = await takeOver(call);
    expect(data.response).toBe('Done.');
    goOn();
    expect(await first).toMatchObject({ status: 409 });
    expect((await first).headers.get('x-request-id')).toBe(data.request_id);
    expect(shop.received).toHaveLength(1);
    expect(await effectsOn(fixture.service, agent.id)).toEqual({ invocations: 1, memories: 2 });
  });
});

test('a worker that was away for longer than its lease stops the run that it takes over from itself', async () => {
  let stopped: () => void = () => undefined;
  const isStopped = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  const held = answerLater(chatCompletions, ['Done.']);
  conversation((res) => {
    res.once('close', stopped);
  }, held.reply);
  const agent = await newRefundAgent();
  const call = keyed(agent, { prefer: 'respond-async' });
  await fixture.tenant.api.expect('invokeAgent', 202, call);
  await fixture.provider.asked(2);
  const { invocation: invocations, logEntry: log } = fixture.service.database.prisma;
  await eventually(() =>
    log.findFirstOrThrow({
      where: { agentId: agent.id, message: { startsWith: 'Tool refund s' } },
    }),
  );
  // Until it is claimed, since it may be renewed first.
  await eventually(async () => {
    await invocations.updateMany({
      where: { agentId: agent.id },
      data: { availableAt: new Date(0) },
    });
    await fixture.provider.asked(3, 100);
  });
  await isStopped;
  held.finish();
  const { data } = await eventually(() => fixture.tenant.api.expect('invokeAgent', 200, call));
  expect(data).toMatchObject({ response: 'Done.' });
  expect(shop.received).toHaveLength(1);
  expect(await effectsOn(fixture.service, agent.id)).toEqual({ invocations: 1, memories: 2 });
});

describe('an instance that is stopped during a tool call', () => {
  /** Stops an instance while the shop is silent. The client is told that a repeat goes on. */
  async function stopDuring(
    tool: WantedCall,
    agent: AgentName,
  ): Promise<{ call: Call; id: string }> {
    fixture.provider.behave(callTools([tool]), answer(chatCompletions, ['Done.']));
    shop.isSilent = true;
    const instance = await fixture.service.another({ SHUTDOWN_TIMEOUT_MS: '1500' });
    const call = keyed(agent);
    const asking = send(instance.url, 'invokeAgent', {
      ...call,
      headers: { ...call.headers, authorization: `Bearer ${fixture.tenant.key}` },
    });
    await eventually(() => {
      expect(shop.received).toHaveLength(1);
    });
    await instance.stop();
    const response = await asking;
    const { error } = (await response.json()) as ErrorResponse;
    expect(response.status).toBe(503);
    expect(error).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('with the same Idempotency-Key: it goes on'),
    });
    expect(error.retry_after).toBeGreaterThan(0);
    expect(error.retryable).not.toBe(false);
    shop.isSilent = false;
    return { call, id: response.headers.get('x-request-id') ?? '' };
  }

  test('leaves its effect unknown, which the model is told when a repeat goes on', async () => {
    const agent = await newRefundAgent();
    const wanted = { name: 'refund', arguments: { order_id: '7', reason: 'It is blue.' } };
    const { call, id } = await stopDuring(wanted, agent);
    // At once, since the key was released.
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, call);
    expect(data).toMatchObject({ request_id: id, response: 'Done.' });
    expect(results()).toEqual([expect.stringContaining('Its effect is unknown')]);
    expect(shop.received).toHaveLength(1);
    expect(await effectsOn(fixture.service, agent.id)).toEqual({ invocations: 1, memories: 2 });
  });

  test('lets a repeat make the call again if it only reads, with the same key', async () => {
    const wanted = { name: 'price', arguments: { article: 'bell' } };
    const { call, id } = await stopDuring(wanted, { name: await newToolAgent() });
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, call);
    expect(data).toMatchObject({ request_id: id, response: 'Done.' });
    expect(results()).toEqual([expect.stringContaining('"refunded":true')]);
    expect(shop.received).toHaveLength(2);
    expect(shop.keys).toEqual([`${id}.call_1`, `${id}.call_1`]);
  });
});
