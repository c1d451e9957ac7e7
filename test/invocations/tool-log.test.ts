/** The log of tool calls is written when they begin and when they end, so that a crash does not erase it. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import type { Call } from '../helpers/service/api.js';
import { whileFailing } from '../helpers/database/failing-table.js';
import { eventually } from '../helpers/eventually.js';
import { hang } from '../helpers/model-provider/failures.js';
import type { Behaviour } from '../helpers/model-provider/received.js';
import { answer, answerLater, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import { countsOf, message, recordsOf, recordsOnceFinished } from './service-with-model.js';
import { refund, type RefundAgent, useToolFixtures } from './tool-fixtures.js';

const { fixture, shop, newRefundAgent } = useToolFixtures();

const keyed = ({ name }: RefundAgent, headers: Record<string, string> = {}): Call =>
  message(name, 'Refund order 7.', { headers: { 'idempotency-key': randomUUID(), ...headers } });

const conversation = (...then: Behaviour[]) => {
  fixture.provider.behave(refund, ...then);
};

const toolEntries = async (agent: RefundAgent) => {
  const entries = await fixture.service.database.prisma.logEntry.findMany({
    where: { agentId: agent.id, message: { startsWith: 'Tool' } },
    orderBy: [{ loggedAt: 'asc' }, { id: 'asc' }],
  });
  return entries.map(({ message: text, metadata }) => ({
    text: text.replace(/after \d+ ms/, 'in time'),
    metadata,
  }));
};

test('is written when it begins and when it ends', async () => {
  const agent = await newRefundAgent({}, { log: 'arguments' });
  const requests: string[][] = [];
  const held = answerLater(chatCompletions, ['Done.']);
  conversation(held.reply);
  shop.respond = () => [200, '{}'];
  const arrived = once(shop.arrivals, 'request').then(async () => {
    requests.push((await toolEntries(agent)).map(({ text }) => text));
  });
  const asking = fixture.tenant.api.expect('invokeAgent', 200, keyed(agent));
  await arrived;
  expect(requests[0]?.[0]).toBe('Tool refund called');
  await eventually(async () => {
    const texts = (await toolEntries(agent)).map(({ text }) => text);
    expect(texts).toEqual(['Tool refund called', 'Tool refund succeeded in time']);
  });
  held.finish();
  const { data } = await asking;
  const { logs } = await recordsOf(fixture.service, data.request_id);
  expect(logs.map(({ message: text }) => text.replace(/\d+ ms/, '… ms'))).toEqual([
    'Tool refund called',
    'Tool refund succeeded after … ms',
    'Model called again: 1 tool has answered',
    'Invocation answered in … ms',
  ]);
  const args = '{"order_id":"7","reason":"It is blue."}';
  expect(logs[0]?.metadata).toEqual({ tool: 'refund', call_id: 'call_1', arguments: args });
  expect(logs[1]?.metadata).not.toHaveProperty('arguments');
  expect(await countsOf(fixture.service, agent.id)).toMatchObject({
    invocations: 1,
    logsDebug: 1,
    logsInfo: 3,
    logsWarn: 0,
  });
});

test('says that a call was interrupted', async () => {
  const agent = await newRefundAgent({ timeout: '2s' });
  shop.respond = () => [200, '{}'];
  shop.isSilent = true;
  conversation(hang);
  await fixture.tenant.api.expect('invokeAgent', 504, message(agent.name, 'Refund.'));
  const entries = await toolEntries(agent);
  expect(entries.map(({ text }) => text)).toEqual([
    'Tool refund called',
    'Tool refund interrupted in time: the call may have taken effect',
  ]);
  expect(entries[1]?.metadata).toMatchObject({ outcome: 'interrupted', call_id: 'call_1' });
});

test('must be written, or the tool is not called', async () => {
  const agent = await newRefundAgent();
  conversation(answer(chatCompletions, ['Done.']));
  const call = keyed(agent);
  await whileFailing(fixture.service.database, 'log_entries', { code: '53100' }, () =>
    fixture.tenant.api.expect('invokeAgent', 503, call),
  );
  expect(shop.received).toHaveLength(0);
  conversation(answer(chatCompletions, ['Done.']));
  await eventually(() => fixture.tenant.api.expect('invokeAgent', 200, call));
  expect(shop.received).toHaveLength(1);
});

test('must be written, or an asynchronous invocation runs again', async () => {
  const agent = await newRefundAgent();
  fixture.provider.behave((res, { body }) => {
    const hasResult = JSON.stringify(body).includes('"role":"tool"');
    (hasResult ? answer(chatCompletions, ['Done.']) : refund)(res);
  });
  const call = keyed(agent, { prefer: 'respond-async' });
  const { data } = await whileFailing(
    fixture.service.database,
    'log_entries',
    { code: '53100' },
    async () => {
      const accepted = await fixture.tenant.api.expect('invokeAgent', 202, call);
      await eventually(async () => {
        const { invocation } = await recordsOf(fixture.service, accepted.data.request_id);
        expect(invocation?.attempts).toBeGreaterThan(1);
      });
      return accepted;
    },
  );
  const { invocation } = await recordsOnceFinished(fixture.service, data.request_id);
  expect(invocation).toMatchObject({ status: 'succeeded' });
  expect(shop.received).toHaveLength(1);
});
