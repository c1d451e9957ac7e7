/** Clients that disconnect before they have their response. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { send } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { insertWebhook } from '../helpers/database/rows.js';
import { hang } from '../helpers/model-provider/failures.js';
import {
  answer,
  chatCompletions,
  countedCompletions,
  stall,
} from '../helpers/model-provider/wire-formats.js';
import { eventsOf, openStream } from './event-reader.js';
import { message, messageIn, recordsOf, useServiceWithModel } from './service-with-model.js';

const fixture = useServiceWithModel();

beforeAll(async () => {
  const { database } = fixture.service;
  const webhook = await insertWebhook(database, fixture.tenant.accountId);
  await database.prisma.webhook.update({
    where: { id: webhook },
    data: { events: ['agent.failed'] },
  });
});

async function lastInvocation(agentId: string) {
  const found = await fixture.service.database.prisma.invocation.findFirstOrThrow({
    where: { agentId },
    orderBy: { id: 'desc' },
  });
  return recordsOf(fixture.service, found.id);
}

const authorization = () => ({ authorization: `Bearer ${fixture.tenant.key}` });

describe('the model call is aborted, and the invocation recorded as cancelled', () => {
  test('when a plain request is abandoned', async () => {
    fixture.provider.behave(hang);
    const { id } = await fixture.newAgent();
    const client = new AbortController();
    const asking = send(fixture.service.url, 'invokeAgent', {
      ...message(id, 'Hi', { headers: authorization() }),
      signal: client.signal,
    });
    await fixture.provider.asked(1);
    client.abort();
    await expect(asking).rejects.toThrow();
    await fixture.provider.received[0]?.closed;
    expect(fixture.provider.received[0]?.wasAborted()).toBe(true);
    const traces = await eventually(() => lastInvocation(id));
    expect(traces.invocation).toMatchObject({ status: 'failed', errorCode: 'cancelled' });
    expect(traces.memory).toEqual([]);
    expect(traces.logs.at(-1)).toMatchObject({ level: 'warn', metadata: { code: 'cancelled' } });
    expect(traces.events).toMatchObject([
      {
        type: 'agent.failed',
        body: {
          data: {
            error: {
              code: 'cancelled',
              message: 'The caller disconnected before the agent answered.',
            },
          },
        },
        deliveredTo: [expect.any(String)],
      },
    ]);
  });

  test('when a stream is abandoned in the middle', async () => {
    fixture.provider.behave(stall(countedCompletions, ['On ']));
    const { id } = await fixture.newAgent();
    const client = new AbortController();
    const { signal } = client;
    const { service, tenant } = fixture;
    const response = await openStream(service.url, tenant.key, message(id, 'Hi', { signal }));
    const first = await eventsOf(response).next();
    expect(first.value).toEqual({ event: 'delta', data: { text: 'On ' } });
    client.abort();
    await fixture.provider.received[0]?.closed;
    expect(fixture.provider.received[0]?.wasAborted()).toBe(true);
    const { invocation } = await eventually(() => lastInvocation(id));
    expect(invocation).toMatchObject({ errorCode: 'cancelled', tokensUsed: 6 });
  });

  test('when it was still waiting for the session, which it does not block', async () => {
    const { id } = await fixture.newAgent();
    fixture.provider.behave(stall(chatCompletions, ['On ']), answer(chatCompletions, ['Third']));
    const first = new AbortController();
    const second = new AbortController();
    const { url } = fixture.service;
    const headers = authorization();
    const firstMessage = send(url, 'invokeAgent', {
      ...messageIn('chat', id, 'First'),
      headers,
      signal: first.signal,
    });
    await fixture.provider.asked(1);
    const secondMessage = send(url, 'invokeAgent', {
      ...messageIn('chat', id, 'Second'),
      headers,
      signal: second.signal,
    });
    await eventually(async () => {
      const lease = await fixture.service.database.prisma.sessionLease.findFirst({
        where: { agentId: id },
      });
      expect(lease?.waited).toBe(true);
    });
    second.abort();
    await expect(secondMessage).rejects.toThrow();
    const traces = await eventually(() => lastInvocation(id));
    expect(traces.invocation).toMatchObject({ status: 'failed', errorCode: 'cancelled' });
    const thirdMessage = fixture.tenant.api.expect(
      'invokeAgent',
      200,
      messageIn('chat', id, 'Third'),
    );
    first.abort();
    await expect(firstMessage).rejects.toThrow();
    expect((await thirdMessage).data.response).toBe('Third');
    expect(await fixture.service.database.prisma.sessionLease.count()).toBe(0);
  });
});

test('nothing is logged as an internal error', () => {
  const levels = fixture.service.log.map((line) => (JSON.parse(line) as { level: string }).level);
  expect(levels).not.toContain('error');
});
