/** Tools that act for the user of a request whose run goes on without it: in the queue, and after an approval. */
import { describe, expect, test } from '@jest/globals';
import { answerLater, callTools, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import { asynchronous, tokenOf, toolAuthorization, useActingAgents } from './acting-agents.js';
import { ask, resume, said } from './careful-agents.js';
import { message, recordsOnceFinished } from './service-with-model.js';

const { fixture, shop, newOrdersAgent, changeTool, scriptModel, as, lastRequest, stepsOf } =
  useActingAgents();

const ordersCall = (args: object = {}) => ({ name: 'orders', arguments: args });

describe('an asynchronous invocation', () => {
  const accept = async (agent: { name: string }, context: object, more: Record<string, string>) => {
    const body = { message: 'My orders?', context };
    const call = message(agent.name, '', { body, headers: { ...asynchronous(), ...more } });
    const { data } = await fixture.tenant.api.expect('invokeAgent', 202, call);
    return { id: data.request_id, call };
  };

  test('calls its tools with the token that it was accepted with, and keeps nothing of it', async () => {
    const agent = await newOrdersAgent();
    scriptModel([ordersCall()], 'These.');
    const { id } = await accept(agent, {}, toolAuthorization('Bearer x7Kq9pLm2vRt'));
    const { invocation, logs } = await recordsOnceFinished(fixture.service, id);
    expect(invocation).toMatchObject({ status: 'succeeded' });
    expect(lastRequest().authorization).toBe('Bearer x7Kq9pLm2vRt');
    expect(await stepsOf(id)).toBe(0);
    expect(logs.map((entry) => entry.message).join()).not.toContain('Goes on');
  });

  test('that fails before it acts says nothing of tools that were called', async () => {
    const agent = await newOrdersAgent();
    fixture.provider.behave((res) => void res.writeHead(400).end('{"error":{"message":"No."}}'));
    const { id, call } = await accept(agent, {}, toolAuthorization('Bearer x7Kq9pLm2vRt'));
    const { logs, invocation } = await recordsOnceFinished(fixture.service, id);
    expect(invocation).toMatchObject({ status: 'failed', tokensUsed: null });
    expect(logs).toHaveLength(1);
    const { error } = await fixture.tenant.api.expect('invokeAgent', 502, call);
    expect(error.message).not.toContain('had called tools');
    expect(await stepsOf(id)).toBe(0);
  });

  test('that is cancelled while it waits leaves nothing', async () => {
    const agent = await newOrdersAgent();
    fixture.provider.behave(() => undefined);
    const { id, call } = await accept(agent, {}, toolAuthorization('Bearer x7Kq9pLm2vRt'));
    expect(await stepsOf(id)).toBe(1);
    const cancel = { ...call, headers: { ...call.headers, prefer: 'cancel' } };
    await fixture.tenant.api.expect('invokeAgent', 202, cancel);
    expect(await stepsOf(id)).toBe(0);
  });

  test('whose agent was changed to need more fails with what it lacks', async () => {
    const agent = await newOrdersAgent({});
    const session = { user_id: 'ada', session_id: 'of-two' };
    const held = answerLater(chatCompletions, ['First.']);
    fixture.provider.behave(held.reply);
    await accept(agent, session, {});
    await fixture.provider.asked(1);
    // Waits for the first of its session.
    const { id, call } = await accept(agent, session, {});
    await changeTool(agent, { arguments: { customer: '${context.customer}' } });
    held.finish();
    const { invocation } = await recordsOnceFinished(fixture.service, id);
    expect(invocation).toMatchObject({ status: 'failed', errorCode: 'invalid_request' });
    const { error } = await fixture.tenant.api.expect('invokeAgent', 400, call);
    expect(error.message).toContain("context.customer is missing: the tool 'orders' needs it");
  });
});

describe('an approval', () => {
  const needsApproval = {
    approval: 'caller',
    arguments: { customer: '${context.customer}', run: '${request.id}' },
    headers: { Authorization: '${caller.token}' },
  };
  const pause = async () => {
    const agent = await newOrdersAgent(needsApproval);
    fixture.provider.behave(
      callTools([ordersCall({ status: 'open', customer: 'eve' })]),
      said('Done.'),
    );
    const call = {
      ...ask(agent, { user_id: 'ada', customer: 'ada-1' }),
      headers: toolAuthorization('Bearer of-the-asker-1'),
    };
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, call);
    return { agent, paused: data };
  };

  test('shows the fixed arguments, which another context does not change', async () => {
    const { agent, paused } = await pause();
    const shown = paused.approvals?.[0]?.arguments;
    expect(shown).toEqual({ status: 'open', customer: 'ada-1', run: paused.request_id });
    expect(await stepsOf(paused.request_id)).toBeGreaterThan(0);
    const context = { customer: 'eve', user_id: 'ada' };
    const decided = resume(agent, paused.request_id, { context });
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, decided);
    expect(JSON.parse(lastRequest().body)).toEqual(shown);
    expect(lastRequest().authorization).toBe('Bearer of-the-asker-1');
    expect(await stepsOf(paused.request_id)).toBe(0);
    expect(await stepsOf(data.request_id)).toBe(0);
  });

  test.each([
    ['at once', {}],
    ['asynchronously', { prefer: 'respond-async' }],
  ])('may bring a fresh token, %s', async (_, how) => {
    const { agent, paused } = await pause();
    const more = { ...how, ...toolAuthorization('Bearer of-the-approver-2') };
    const decided = resume(agent, paused.request_id, { headers: more });
    const { body, headers: sent } = await fixture.tenant.api.call('invokeAgent', decided);
    expect(body).toMatchObject({ success: true });
    const id = sent.get('x-request-id') ?? '';
    await recordsOnceFinished(fixture.service, id);
    expect(lastRequest().authorization).toBe('Bearer of-the-approver-2');
    expect(JSON.parse(lastRequest().body)).toMatchObject({ customer: 'ada-1' });
    expect(await stepsOf(id)).toBe(0);
  });

  test('by the user with a token uses that token', async () => {
    const { agent, paused } = await pause();
    const decided = { ...resume(agent, paused.request_id), path: { agent_id: agent.id } };
    await as('ada').expect('invokeAgent', 200, decided);
    expect(lastRequest().authorization).toBe(`Bearer ${tokenOf('ada')}`);
  });

  test('with a token that no tool gets is a 400, and decides nothing', async () => {
    const agent = await newOrdersAgent({ approval: 'caller' });
    fixture.provider.behave(callTools([ordersCall()]), said('Done.'));
    const { data: paused } = await fixture.tenant.api.expect('invokeAgent', 200, ask(agent));
    const more = { headers: toolAuthorization('Bearer x7Kq9pLm2vRt') };
    await fixture.tenant.api.expect('invokeAgent', 400, resume(agent, paused.request_id, more));
    expect(shop.received).toEqual([]);
    await fixture.tenant.api.expect('invokeAgent', 200, resume(agent, paused.request_id));
    expect(shop.received).toHaveLength(1);
  });
});
