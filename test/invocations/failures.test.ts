/** Failing synchronous invocations: the error that the caller gets, and what is recorded. */
import { describe, expect, test } from '@jest/globals';
import { insertWebhook } from '../helpers/database/rows.js';
import { hang, refusal, status } from '../helpers/model-provider/failures.js';
import {
  chatCompletions,
  countedCompletions,
  cut,
  stall,
} from '../helpers/model-provider/wire-formats.js';
import { countsOf, message, recordsOf, useServiceWithModel } from './service-with-model.js';

const fixture = useServiceWithModel();

describe('a failing invocation', () => {
  test('502 when the provider fails, also after two retries, which are logged', async () => {
    fixture.provider.behave(status(500));
    const { id } = await fixture.newAgent();
    const reply = await fixture.tenant.api.call('invokeAgent', message(id, 'Hi'));
    expect(reply).toMatchObject({
      status: 502,
      body: {
        success: false,
        error: { code: 'upstream_error', message: 'The model provider failed to answer.' },
      },
    });
    expect(fixture.provider.received).toHaveLength(3);
    const traces = await recordsOf(fixture.service, reply.headers.get('x-request-id') ?? '');
    expect(traces.invocation).toMatchObject({
      status: 'failed',
      errorCode: 'upstream_error',
      tokensUsed: null,
    });
    const said = { said: '[redacted]' };
    expect(traces.logs).toMatchObject([
      {
        level: 'warn',
        message: 'Model call failed: the provider answered with status 500; retry 1 of 2',
        metadata: said,
      },
      {
        level: 'warn',
        message: 'Model call failed: the provider answered with status 500; retry 2 of 2',
        metadata: said,
      },
      {
        level: 'error',
        message: expect.stringMatching(
          /^Invocation failed after \d+ ms: the provider answered with status 500$/,
        ),
        metadata: said,
      },
    ]);
    expect(await countsOf(fixture.service, id)).toMatchObject({
      invocations: 1,
      failures: 1,
      logsDebug: 0,
      logsInfo: 0,
      logsWarn: 2,
      logsError: 1,
    });
  });

  test('counts the tokens that the provider reported before it failed', async () => {
    fixture.provider.behave(cut(countedCompletions, ['On ', 'its ']));
    const { id } = await fixture.newAgent();
    const reply = await fixture.tenant.api.call('invokeAgent', message(id, 'Hi'));
    expect(reply.status).toBe(502);
    const { invocation } = await recordsOf(
      fixture.service,
      reply.headers.get('x-request-id') ?? '',
    );
    expect(invocation).toMatchObject({ status: 'failed', tokensUsed: 7 });
  });

  test('counts the tokens that the provider reported before the timeout', async () => {
    fixture.provider.behave(stall(countedCompletions, ['On ', 'its ', 'way']));
    const { id } = await fixture.newAgent({ timeoutMs: 5_000 });
    const reply = await fixture.tenant.api.call('invokeAgent', message(id, 'Hi'));
    expect(reply.status).toBe(504);
    const { invocation } = await recordsOf(
      fixture.service,
      reply.headers.get('x-request-id') ?? '',
    );
    expect(invocation).toMatchObject({ errorCode: 'timeout', tokensUsed: 8 });
  });

  test('remembers nothing, so that a repeat does not duplicate the message', async () => {
    fixture.provider.behave(status(401));
    const { id } = await fixture.newAgent();
    const reply = await fixture.tenant.api.call('invokeAgent', message(id, 'Hi'));
    const { memory } = await recordsOf(fixture.service, reply.headers.get('x-request-id') ?? '');
    expect(memory).toEqual([]);
  });

  test("502 when the provider rejects its API key, which is not the caller's mistake", async () => {
    fixture.provider.behave(status(401));
    const { id } = await fixture.newAgent();
    const { error } = await fixture.tenant.api.expect('invokeAgent', 502, message(id, 'Hi'));
    expect(error.message).toBe('The model provider failed to answer.');
    expect(fixture.provider.received).toHaveLength(1);
  });

  test('502 with the same message whatever the provider said, which is only logged', async () => {
    const said = 'The model `llama3.2` does not exist or you do not have access to it.';
    fixture.provider.behave(refusal(404, { error: { message: said } }));
    const { id } = await fixture.newAgent();
    const reply = await fixture.tenant.api.call('invokeAgent', message(id, 'Hi'));
    expect(reply).toMatchObject({
      status: 502,
      body: { error: { message: 'The model provider failed to answer.' } },
    });
    const { data } = await fixture.tenant.api.expect('getLogs', 200, {
      path: { agent_id: id },
      query: { level: 'error' },
    });
    expect(data[0]?.message).toMatch(/: the provider answered with status 404$/);
    expect(data[0]?.metadata).toMatchObject({ said });
  });

  const newHttpAgent = () =>
    fixture.tenant.newAgent({ model: 'http/own', endpoint: { url: fixture.provider.url } });

  test.each([
    [502, 'fails', status(500), "The agent's endpoint failed to answer."],
    [
      503,
      'limits its rate',
      status(429, { 'retry-after': '120' }),
      "The agent's endpoint is limiting its rate. Retry in 120 seconds.",
    ],
    [
      502,
      'returns too much data',
      refusal(200, { response: 'x'.repeat(300_000) }),
      "The agent's endpoint failed to answer.",
    ],
  ] as const)(
    '%i that names the endpoint when that of an http agent %s, not the model provider',
    async (code, _problem, behaviour, words) => {
      fixture.provider.behave(behaviour);
      const { id } = await newHttpAgent();
      const { error } = await fixture.tenant.api.expect('invokeAgent', code, message(id, 'Hi'));
      expect(error.message).toBe(words);
      const { data } = await fixture.tenant.api.expect('getLogs', 200, { path: { agent_id: id } });
      expect(data.map((entry) => entry.message).join()).not.toMatch(/provider/);
    },
  );

  test('503 at once, with the time to wait, when the provider asks for half a minute', async () => {
    fixture.provider.behave(
      refusal(429, { error: { message: 'Slow down.' } }, { 'retry-after': '30' }),
    );
    const { id } = await fixture.newAgent({ model: 'local/limited' });
    const reply = await fixture.tenant.api.call('invokeAgent', message(id, 'Hi'));
    expect(reply.status).toBe(503);
    expect(reply.headers.get('retry-after')).toBe('30');
    expect(fixture.provider.received).toHaveLength(1);
  });

  test('502 when the response is cut off, and when the model is not configured', async () => {
    fixture.provider.behave(cut(chatCompletions, ['On ']));
    const { id } = await fixture.newAgent();
    await fixture.tenant.api.expect('invokeAgent', 502, message(id, 'Hi'));
    const { id: other } = await fixture.newAgent({ model: 'openai/gpt-4o' });
    await fixture.tenant.api.expect('invokeAgent', 502, message(other, 'Hi'));
  });

  test('503 with Retry-After when the provider limits its rate', async () => {
    fixture.provider.behave(status(429, { 'retry-after': '120' }));
    const { id } = await fixture.newAgent({ model: 'local/limited-too' });
    const reply = await fixture.tenant.api.call('invokeAgent', message(id, 'Hi'));
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

  test('504 when the agent exceeds its time limit; the model call is aborted', async () => {
    fixture.provider.behave(hang);
    const { id } = await fixture.newAgent({ timeoutMs: 4_500 });
    const reply = await fixture.tenant.api.call('invokeAgent', message(id, 'Hi'));
    expect(reply).toMatchObject({
      status: 504,
      body: {
        error: { code: 'timeout', message: 'The agent did not answer within 4.5 seconds.' },
      },
    });
    await fixture.provider.received[0]?.closed;
    expect(fixture.provider.received[0]?.wasAborted()).toBe(true);
    const traces = await recordsOf(fixture.service, reply.headers.get('x-request-id') ?? '');
    expect(traces.invocation).toMatchObject({ status: 'failed', errorCode: 'timeout' });
  });

  test("sends an agent.failed event with the caller's error", async () => {
    const { service } = fixture;
    const webhook = await insertWebhook(service.database, fixture.tenant.accountId);
    await service.database.prisma.webhook.update({
      where: { id: webhook },
      data: { events: ['agent.failed'] },
    });
    fixture.provider.behave(status(401));
    const { id } = await fixture.newAgent();
    const reply = await fixture.tenant.api.call('invokeAgent', message(id, 'Hi'));
    const request_id = reply.headers.get('x-request-id') ?? '';
    const { events } = await recordsOf(service, request_id);
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
