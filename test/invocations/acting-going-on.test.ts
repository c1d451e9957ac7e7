/** Runs that act for their caller and go on elsewhere: with what they began with, and at most a fresh token. */
import { describe, expect, test } from '@jest/globals';
import { eventually } from '../helpers/eventually.js';
import {
  answer,
  answerLater,
  callTools,
  chatCompletions,
} from '../helpers/model-provider/wire-formats.js';
import { asynchronous, keyed, toolAuthorization, useActingAgents } from './acting-agents.js';
import { said } from './careful-agents.js';
import { message, recordsOnceFinished } from './service-with-model.js';

// The workers are other instances, so that a test can stop one.
const { fixture, shop, newOrdersAgent, stepsOf } = useActingAgents({ ASYNC_CONCURRENCY: '0' });

const acting = {
  method: 'GET',
  arguments: { customer: '${context.customer}' },
  headers: { Authorization: '${caller.token}' },
};
const callOrders = callTools([{ name: 'orders', arguments: {} }]);
const customers = () =>
  shop.received.map(({ url = '', authorization }) => [
    new URL(url, shop.url).searchParams.get('customer'),
    authorization,
  ]);

describe('a repeat that goes on after an instance died', () => {
  /** The orders were read, and the model thinks about them. */
  const beginAndDie = async () => {
    const held = answerLater(chatCompletions, ['Too late.']);
    fixture.provider.behave(callOrders, held.reply, callOrders, said('Done.'));
    const agent = await newOrdersAgent(acting);
    const call = {
      ...message(agent.name, 'My orders?'),
      body: { message: 'My orders?', context: { customer: 'ada-1' } },
      headers: { ...keyed(), ...toolAuthorization('Bearer of-the-first-1') },
    };
    const first = fixture.tenant.api.call('invokeAgent', call);
    await fixture.provider.asked(2);
    const { prisma } = fixture.service.database;
    await eventually(async () => {
      await prisma.logEntry.findFirstOrThrow({
        where: { agentId: agent.id, message: { startsWith: 'Tool orders succeeded' } },
      });
    });
    const takeOver = (headers: Record<string, string>) =>
      eventually(async () => {
        await prisma.idempotencyRecord.updateMany({
          where: { state: 'running' },
          data: { leaseUntil: new Date(0) },
        });
        return fixture.tenant.api.expect('invokeAgent', 200, { ...call, headers });
      });
    const { 'idempotency-key': key } = call.headers;
    return {
      goOn: async (more: Record<string, string>) => {
        const { data } = await takeOver({ 'idempotency-key': key, ...more });
        held.finish();
        await first;
        return data;
      },
    };
  };

  test('uses the token that was stored if it brings none, and deletes it', async () => {
    const { goOn } = await beginAndDie();
    const { request_id } = await goOn({});
    expect(customers()).toEqual([
      ['ada-1', 'Bearer of-the-first-1'],
      ['ada-1', 'Bearer of-the-first-1'],
    ]);
    expect(await stepsOf(request_id)).toBe(0);
  });

  test('uses its own if it brings one', async () => {
    const { goOn } = await beginAndDie();
    await goOn(toolAuthorization('Bearer of-the-repeat-2'));
    expect(customers()).toEqual([
      ['ada-1', 'Bearer of-the-first-1'],
      ['ada-1', 'Bearer of-the-repeat-2'],
    ]);
  });
});

describe('an asynchronous invocation whose worker stops', () => {
  const worker = () =>
    fixture.service.another({ ASYNC_CONCURRENCY: '5', SHUTDOWN_TIMEOUT_MS: '500' });

  const accept = async () => {
    const agent = await newOrdersAgent(acting);
    const { data } = await fixture.tenant.api.expect('invokeAgent', 202, {
      ...message(agent.name, 'My orders?'),
      body: { message: 'My orders?', context: { customer: 'ada-1' } },
      headers: { ...asynchronous(), ...toolAuthorization('Bearer of-the-first-1') },
    });
    return data.request_id;
  };

  test('before it acts starts over elsewhere, with the token of its request', async () => {
    const held = answerLater(chatCompletions, ['Too late.']);
    fixture.provider.behave(held.reply, callOrders, answer(chatCompletions, ['Done.']));
    const id = await accept();
    const first = await worker();
    await fixture.provider.asked(1);
    await first.stop();
    expect(await stepsOf(id)).toBe(1);
    const second = await worker();
    const { invocation, logs } = await recordsOnceFinished(fixture.service, id);
    expect(invocation).toMatchObject({ status: 'succeeded' });
    expect(customers()).toEqual([['ada-1', 'Bearer of-the-first-1']]);
    expect(logs.map((entry) => entry.message).join()).not.toContain('Goes on');
    expect(await stepsOf(id)).toBe(0);
    held.finish();
    await second.stop();
  });

  test('after it has acted goes on elsewhere, with the token of its request', async () => {
    const held = answerLater(chatCompletions, ['Too late.']);
    fixture.provider.behave(callOrders, held.reply, callOrders, said('Done.'));
    const id = await accept();
    const first = await worker();
    await fixture.provider.asked(2);
    await first.stop();
    const second = await worker();
    const { logs } = await recordsOnceFinished(fixture.service, id);
    expect(logs.map((entry) => entry.message)).toContain('Goes on after 4 stored steps');
    expect(customers()).toEqual([
      ['ada-1', 'Bearer of-the-first-1'],
      ['ada-1', 'Bearer of-the-first-1'],
    ]);
    expect(await stepsOf(id)).toBe(0);
    held.finish();
    await second.stop();
  });
});
