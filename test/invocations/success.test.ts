/** Successful synchronous invocations: the response and everything that is recorded. */
import { describe, expect, test } from '@jest/globals';
import { eventually } from '../helpers/eventually.js';
import { insertDeployment, insertWebhook } from '../helpers/database/rows.js';
import { answer, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import { countsOf, message, recordsOf, useServiceWithModel } from './service-with-model.js';

const fixture = useServiceWithModel();

describe('a successful invocation', () => {
  test('returns the response, the request id of the header, the tokens and the duration', async () => {
    const { name } = await fixture.newAgent();
    const reply = await fixture.tenant.api.call('invokeAgent', message(name, 'Where is it?'));
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      success: true,
      data: {
        response: 'On its way.',
        request_id: reply.headers.get('x-request-id'),
        tokens_used: 7,
        duration_ms: expect.any(Number),
        status: 'completed',
        finish_reason: 'stop',
        usage: { input_tokens: 5, output_tokens: 2 },
      },
    });
  });

  test("accepts the agent's id, and needs no provider for the echo model", async () => {
    const { id } = await fixture.tenant.newAgent({ model: 'builtin/echo' });
    const { data } = await fixture.tenant.api.expect(
      'invokeAgent',
      200,
      message(id, 'Hello there'),
    );
    expect(data).toMatchObject({ response: 'Hello there', tokens_used: 4 });
  });

  test('records the invocation, its log, both messages and its usage', async () => {
    const { id } = await fixture.newAgent();
    const context = { user_id: 'user-1', session_id: 'chat-1', plan: 'gold' };
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, {
      path: { agent_id: id },
      body: { message: 'Where is it?', context },
    });
    const traces = await recordsOf(fixture.service, data.request_id);
    const { duration_ms } = data;
    expect(traces.invocation).toMatchObject({
      agentId: id,
      deploymentId: null,
      status: 'succeeded',
      userId: 'user-1',
      sessionId: 'chat-1',
      message: null,
      context,
      tokensUsed: 7,
      durationMs: duration_ms,
      errorCode: null,
    });
    expect(traces.logs).toEqual([
      {
        level: 'info',
        message: `Invocation answered in ${duration_ms} ms`,
        metadata: {
          duration_ms,
          waited_ms: expect.any(Number),
          tokens_used: 7,
          input_tokens: 5,
          output_tokens: 2,
          finish_reason: 'stop',
          model: 'local/llama3.2',
          session_id: 'chat-1',
          user_id: 'user-1',
        },
      },
    ]);
    const place = { sessionId: 'chat-1', userId: 'user-1' };
    expect(traces.memory).toEqual([
      { role: 'user', content: 'Where is it?', ...place },
      { role: 'agent', content: 'On its way.', ...place },
    ]);
    expect(traces.events).toEqual([]);
    expect(await countsOf(fixture.service, id)).toEqual({
      invocations: 1,
      failures: 0,
      durationMs: duration_ms,
      tokens: 7,
      logsDebug: 0,
      logsInfo: 1,
      logsWarn: 0,
      logsError: 0,
    });
  });

  test('keeps every character that may be sent', async () => {
    const { id } = await fixture.tenant.newAgent({ model: 'builtin/echo' });
    const text = `'"\\\n\r\t\u0001{}[]$1\u2028😀 é ﷽ ${'long '.repeat(1_000)}`;
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, message(id, text));
    expect(data.response).toBe(text);
    const { memory } = await recordsOf(fixture.service, data.request_id);
    expect(memory.map(({ content }) => content)).toEqual([text, text]);
  });

  test('accepts a message of 100,000 characters and an empty response', async () => {
    const { id } = await fixture.newAgent();
    fixture.provider.behave(answer(chatCompletions, []));
    const long = 'x'.repeat(100_000);
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, message(id, long));
    expect(data.response).toBe('');
  });
});

describe('events', () => {
  test('are sent to the enabled webhooks that subscribe to them, with the bytes of the contract', async () => {
    const { service } = fixture;
    const tenant = await service.tenant();
    const { id } = await tenant.newAgent();
    const { id: otherAgent } = await tenant.newAgent();
    const { database } = service;
    const forAll = await insertWebhook(database, tenant.accountId);
    const forAgent = await insertWebhook(database, tenant.accountId, id);
    await insertWebhook(database, tenant.accountId, otherAgent);
    await insertWebhook(database, (await service.tenant()).accountId);
    const ofFailures = await insertWebhook(database, tenant.accountId);
    const disabled = await insertWebhook(database, tenant.accountId);
    await database.prisma.webhook.update({
      where: { id: ofFailures },
      data: { events: ['agent.failed'] },
    });
    await database.prisma.webhook.update({
      where: { id: disabled },
      data: { status: 'disabled' },
    });

    const { data } = await tenant.api.expect('invokeAgent', 200, message(id, 'Hello'));
    const { events } = await recordsOf(service, data.request_id);
    expect(events).toEqual([
      {
        type: 'agent.completed',
        body: {
          id: expect.stringMatching(/^evt_/),
          type: 'agent.completed',
          created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
          data: { agent_id: id, ...data },
        },
        deliveredTo: expect.any(Array),
      },
    ]);
    expect(events[0]?.deliveredTo.toSorted()).toEqual([forAll, forAgent].toSorted());
  });
});

describe('the configuration that runs', () => {
  test('is the current draft before the first production deployment', async () => {
    const { id } = await fixture.newAgent({ instructions: 'Be brief.', temperature: 0.2 });
    await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'Hi'));
    await fixture.tenant.api.expect('updateAgent', 200, {
      path: { agent_id: id },
      body: { temperature: 0.9, model: 'local/mistral' },
    });
    await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'Hi'));
    expect(fixture.provider.received.map(({ body }) => body)).toMatchObject([
      { model: 'llama3.2', temperature: 0.2, messages: [{ content: 'Be brief.' }, {}] },
      { model: 'mistral', temperature: 0.9 },
    ]);
  });

  test('is the active production deployment, also on an instance that had cached another', async () => {
    const { id } = await fixture.newAgent({ model: 'local/draft' });
    const other = await fixture.service.another();
    const api = other.api(fixture.tenant.key);
    await api.expect('invokeAgent', 200, message(id, 'Hi'));
    const { database } = fixture.service;
    await insertDeployment(database, id, { environment: 'staging', model: 'local/staged' });
    const deploymentId = await insertDeployment(database, id, {
      model: 'local/deployed',
      temperature: 0.1,
      instructions: 'Deployed.',
    });
    await eventually(async () => {
      const { data } = await api.expect('invokeAgent', 200, message(id, 'Hi'));
      const { invocation, logs } = await recordsOf(fixture.service, data.request_id);
      expect(invocation?.deploymentId).toBe(deploymentId);
      expect(logs[0]?.metadata).toMatchObject({
        deployment_id: deploymentId,
        model: 'local/deployed',
      });
    });
    expect(fixture.provider.received.at(-1)?.body).toMatchObject({
      model: 'deployed',
      temperature: 0.1,
      messages: [{ content: 'Deployed.' }, {}],
    });
  });
});
