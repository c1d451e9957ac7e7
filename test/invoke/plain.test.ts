/** Invoke Agent in its plain form: what it answers, and everything that it leaves behind. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../helpers/eventually.js';
import { insertDeployment, insertWebhook } from '../helpers/rows.js';
import { hang, status } from '../runtime/provider-server.js';
import { answer, chatCompletions, cut } from '../runtime/wire-formats.js';
import { countsOf, message, startWorld, tracesOf, type World } from './world.js';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(() => world.stop());

beforeEach(() => {
  world.provider.behave(answer(chatCompletions, ['On ', 'its way.']));
});

describe('an invocation that is answered', () => {
  test('gives the response, the request id of the header, the tokens and the time', async () => {
    const { name } = await world.newAgent();
    const reply = await world.tenant.api.call('invokeAgent', message(name, 'Where is it?'));
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      success: true,
      data: {
        response: 'On its way.',
        request_id: reply.headers.get('x-request-id'),
        tokens_used: 7,
        duration_ms: expect.any(Number),
      },
    });
  });

  test('is found by the id of its agent too, and by the echo without any provider', async () => {
    const { id } = await world.tenant.newAgent({ model: 'builtin/echo' });
    const { data } = await world.tenant.api.expect('invokeAgent', 200, message(id, 'Hello there'));
    expect(data).toMatchObject({ response: 'Hello there', tokens_used: 4 });
  });

  test('leaves the invocation, its log, both turns and its counts', async () => {
    const { id } = await world.newAgent();
    const context = { user_id: 'user-1', session_id: 'chat-1', plan: 'gold' };
    const { data } = await world.tenant.api.expect('invokeAgent', 200, {
      path: { agent_id: id },
      body: { message: 'Where is it?', context },
    });
    const traces = await tracesOf(world.service, data.request_id);
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
        message: 'Invocation received',
        metadata: { session_id: 'chat-1', user_id: 'user-1' },
      },
      {
        level: 'debug',
        message: 'Model local/llama3.2 called',
        metadata: {
          model: 'local/llama3.2',
          deployment_id: null,
          waited_ms: expect.any(Number),
        },
      },
      {
        level: 'info',
        message: `Invocation answered in ${duration_ms} ms`,
        metadata: { duration_ms, tokens_used: 7 },
      },
    ]);
    const place = { sessionId: 'chat-1', userId: 'user-1' };
    expect(traces.memory).toEqual([
      { role: 'user', content: 'Where is it?', ...place },
      { role: 'agent', content: 'On its way.', ...place },
    ]);
    expect(traces.events).toEqual([]);
    expect(await countsOf(world.service, id)).toEqual({
      invocations: 1,
      failures: 0,
      durationMs: duration_ms,
      logsDebug: 1,
      logsInfo: 2,
      logsWarn: 0,
      logsError: 0,
    });
  });

  test('keeps every character that may be sent', async () => {
    const { id } = await world.tenant.newAgent({ model: 'builtin/echo' });
    const text = `'"\\\n\r\t\u0001{}[]$1\u2028😀 é ﷽ ${'long '.repeat(1_000)}`;
    const { data } = await world.tenant.api.expect('invokeAgent', 200, message(id, text));
    expect(data.response).toBe(text);
    const { memory } = await tracesOf(world.service, data.request_id);
    expect(memory.map(({ content }) => content)).toEqual([text, text]);
  });

  test('takes a message of 100 000 characters, and an answer of nothing', async () => {
    const { id } = await world.newAgent();
    world.provider.behave(answer(chatCompletions, []));
    const long = 'x'.repeat(100_000);
    const { data } = await world.tenant.api.expect('invokeAgent', 200, message(id, long));
    expect(data.response).toBe('');
  });
});

describe('events', () => {
  test('go to the enabled webhooks that want them, with the bytes of the contract', async () => {
    const { service } = world;
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
    const { events } = await tracesOf(service, data.request_id);
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

describe('what runs', () => {
  test('is the draft before the first production deployment, as it is now', async () => {
    const { id } = await world.newAgent({ instructions: 'Be brief.', temperature: 0.2 });
    await world.tenant.api.expect('invokeAgent', 200, message(id, 'Hi'));
    await world.tenant.api.expect('updateAgent', 200, {
      path: { agent_id: id },
      body: { temperature: 0.9, model: 'local/mistral' },
    });
    await world.tenant.api.expect('invokeAgent', 200, message(id, 'Hi'));
    expect(world.provider.received.map(({ body }) => body)).toMatchObject([
      { model: 'llama3.2', temperature: 0.2, messages: [{ content: 'Be brief.' }, {}] },
      { model: 'mistral', temperature: 0.9 },
    ]);
  });

  test('is the active production deployment, also on an instance that knew another', async () => {
    const { id } = await world.newAgent({ model: 'local/draft' });
    const other = await world.service.another();
    const api = other.api(world.tenant.key);
    await api.expect('invokeAgent', 200, message(id, 'Hi'));
    const { database } = world.service;
    await insertDeployment(database, id, { environment: 'staging', model: 'local/staged' });
    const deploymentId = await insertDeployment(database, id, {
      model: 'local/deployed',
      temperature: 0.1,
      instructions: 'Deployed.',
    });
    await eventually(async () => {
      const { data } = await api.expect('invokeAgent', 200, message(id, 'Hi'));
      const { invocation } = await tracesOf(world.service, data.request_id);
      expect(invocation?.deploymentId).toBe(deploymentId);
    }, 1_000);
    expect(world.provider.received.at(-1)?.body).toMatchObject({
      model: 'deployed',
      temperature: 0.1,
      messages: [{ content: 'Deployed.' }, {}],
    });
  });
});

describe('an invocation that is not answered', () => {
  test('502 when the provider fails, also after two retries, which are in the log', async () => {
    world.provider.behave(status(500));
    const { id } = await world.newAgent();
    const reply = await world.tenant.api.call('invokeAgent', message(id, 'Hi'));
    expect(reply).toMatchObject({
      status: 502,
      body: {
        success: false,
        error: { code: 'upstream_error', message: 'The model provider failed to answer.' },
      },
    });
    expect(world.provider.received).toHaveLength(3);
    const traces = await tracesOf(world.service, reply.headers.get('x-request-id') ?? '');
    expect(traces.invocation).toMatchObject({
      status: 'failed',
      errorCode: 'upstream_error',
      tokensUsed: null,
    });
    expect(traces.logs.map(({ level, message: text }) => [level, text])).toEqual([
      ['info', 'Invocation received'],
      ['debug', 'Model local/llama3.2 called'],
      ['warn', 'Model call failed: the provider answered with status 500; retry 1 of 2'],
      ['warn', 'Model call failed: the provider answered with status 500; retry 2 of 2'],
      [
        'error',
        expect.stringMatching(
          /^Invocation failed after \d+ ms: the provider answered with status 500$/,
        ),
      ],
    ]);
    expect(await countsOf(world.service, id)).toMatchObject({
      invocations: 1,
      failures: 1,
      logsDebug: 1,
      logsInfo: 1,
      logsWarn: 2,
      logsError: 1,
    });
  });

  test('remembers nothing, so that a repeat has not said it twice', async () => {
    world.provider.behave(status(401));
    const { id } = await world.newAgent();
    const reply = await world.tenant.api.call('invokeAgent', message(id, 'Hi'));
    const { memory } = await tracesOf(world.service, reply.headers.get('x-request-id') ?? '');
    expect(memory).toEqual([]);
  });

  test('502 when the key of the provider is wrong: no fault of the caller', async () => {
    world.provider.behave(status(401));
    const { id } = await world.newAgent();
    const { error } = await world.tenant.api.expect('invokeAgent', 502, message(id, 'Hi'));
    expect(error.message).toBe('The model provider failed to answer.');
    expect(world.provider.received).toHaveLength(1);
  });

  test('502 when the answer breaks off, and when the model is not configured', async () => {
    world.provider.behave(cut(chatCompletions, ['On ']));
    const { id } = await world.newAgent();
    await world.tenant.api.expect('invokeAgent', 502, message(id, 'Hi'));
    const { id: other } = await world.newAgent({ model: 'openai/gpt-4o' });
    await world.tenant.api.expect('invokeAgent', 502, message(other, 'Hi'));
  });

  test('503 with Retry-After when the provider limits its rate', async () => {
    world.provider.behave(status(429, { 'retry-after': '120' }));
    const { id } = await world.newAgent();
    const reply = await world.tenant.api.call('invokeAgent', message(id, 'Hi'));
    expect(reply).toMatchObject({
      status: 503,
      body: {
        error: {
          code: 'unavailable',
          message: 'The model provider is limiting its rate. Retry in 120 seconds.',
          retry_after: 120,
        },
      },
    });
    expect(reply.headers.get('retry-after')).toBe('120');
  });

  test('504 when the agent takes longer than it may; the call to the model is stopped', async () => {
    world.provider.behave(hang);
    const { id } = await world.newAgent({ timeoutMs: 300 });
    const reply = await world.tenant.api.call('invokeAgent', message(id, 'Hi'));
    expect(reply).toMatchObject({
      status: 504,
      body: {
        error: { code: 'timeout', message: 'The agent did not answer within 0.3 seconds.' },
      },
    });
    await world.provider.received[0]?.closed;
    expect(world.provider.received[0]?.wasAborted()).toBe(true);
    const traces = await tracesOf(world.service, reply.headers.get('x-request-id') ?? '');
    expect(traces.invocation).toMatchObject({ status: 'failed', errorCode: 'timeout' });
  });

  test('is an agent.failed event with the error that the caller got', async () => {
    const { service } = world;
    const webhook = await insertWebhook(service.database, world.tenant.accountId);
    await service.database.prisma.webhook.update({
      where: { id: webhook },
      data: { events: ['agent.failed'] },
    });
    world.provider.behave(status(401));
    const { id } = await world.newAgent();
    const reply = await world.tenant.api.call('invokeAgent', message(id, 'Hi'));
    const request_id = reply.headers.get('x-request-id') ?? '';
    const { events } = await tracesOf(service, request_id);
    expect(events).toMatchObject([
      {
        type: 'agent.failed',
        body: {
          data: {
            agent_id: id,
            request_id,
            error: { code: 'upstream_error', message: 'The model provider failed to answer.' },
          },
        },
        deliveredTo: [webhook],
      },
    ]);
  });
});
